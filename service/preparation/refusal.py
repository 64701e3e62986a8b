"""Refusals: why a model is not prepared."""

from __future__ import annotations

from dataclasses import dataclass

from service.errors import ModelError


class NotPreparedError(ModelError):
    """The model is not prepared; the message says why and what to do."""


@dataclass(frozen=True)
class Refusal:
    """Why a source can never be prepared.

    Attributes:
        reason: what is wrong.
        node: name of the node of the source's graph; empty if it is not about a node.
        nearest: the nearest miss: the node that nearly matched, and what did not.
    """

    reason: str
    node: str = ""
    nearest: str = ""

    def __str__(self) -> str:
        at = f", at node {self.node}" if self.node else ""
        nearest = f"; nearest miss: {self.nearest}" if self.nearest else ""
        return f"{self.reason}{at}{nearest}"


class RefusedError(Exception):
    """A step of the rewriting does not recognize the graph.

    Attributes:
        refusal: the reason and the node.
    """

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class SourceRefusedError(NotPreparedError):
    """The source can never be prepared; the message has the refusal."""
