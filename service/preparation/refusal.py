"""Why there is no prepared model."""

from __future__ import annotations

from dataclasses import dataclass

from service.errors import ModelError


class NotPreparedError(ModelError):
    """There is no prepared model; the message says why and what to do."""


@dataclass(frozen=True)
class Refusal:
    """Why a source cannot be prepared, now or later.

    Attributes:
        reason: what is not as it must be.
        node: name of the node of the source's graph where that shows; empty where it is no node.
        nearest: of what was looked for in vain, where it nearly was and what was wrong there.
    """

    reason: str
    node: str = ""
    nearest: str = ""

    def __str__(self) -> str:
        at = f", at node {self.node}" if self.node else ""
        nearest = f"; nearest miss: {self.nearest}" if self.nearest else ""
        return f"{self.reason}{at}{nearest}"


class RefusedError(Exception):
    """A step of the rewriting does not know the graph that it is given.

    Attributes:
        refusal: why, and where.
    """

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class SourceRefusedError(NotPreparedError):
    """The source cannot be prepared, now or later; the message has the refusal."""
