"""Which execution provider computes which node of a session's model."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ortffi._api import LogLevel, new
from ortffi.environment import Environment
from ortffi.errors import require
from ortffi.logs import LogCallback, LogHandler, LogMessage, to_standard_error

RECORD_ASSIGNMENT = "session.record_ep_graph_assignment_info"
"""The configuration entry that must be `1` when a session is made for `read_assignment`."""


@dataclass(frozen=True)
class AssignedNode:
    """A node and who computes it.

    Attributes:
        name: of the node; empty where the model gives it none, or the source does not say.
        operator: its type, such as `MatMul`; empty where the source does not say.
        domain: of the operator, empty for ONNX's own; None where the source does not say.
        provider: the execution provider's name, such as `CPUExecutionProvider`.
    """

    name: str
    operator: str
    domain: str | None
    provider: str


def read_assignment(environment: Environment, session: int) -> tuple[AssignedNode, ...]:
    """Read the nodes with their providers (`Session_GetEpGraphAssignmentInfo` and its kin).

    The nodes are the model's own, as each provider took them: before a provider that compiles
    them makes one node of many. Nodes of loop and branch bodies are there too.

    Args:
        environment: the environment of the session.
        session: an `OrtSession*`, lent for the time of the call, that was made with
            `RECORD_ASSIGNMENT` set to `1`.

    Raises:
        UnsupportedError: the library is older than 1.24. `PlacementLog` does for those from 1.17.
        OrtError: the session was made without the configuration entry.
    """
    api = environment.api
    require(api, "Session_GetEpGraphAssignmentInfo")

    def text(getter: Callable[..., Any], thing: int) -> str:
        # Belongs to the session.
        return ctypes.string_at(new(getter, thing)).decode("utf-8", "replace")

    return tuple(
        AssignedNode(
            name=text(api.EpAssignedNode_GetName, node),
            operator=text(api.EpAssignedNode_GetOperatorType, node),
            domain=text(api.EpAssignedNode_GetDomain, node),
            provider=text(api.EpAssignedSubgraph_GetEpName, subgraph),
        )
        for subgraph in _array(api.Session_GetEpGraphAssignmentInfo, session)
        for node in _array(api.EpAssignedSubgraph_GetNodes, subgraph)
    )


def count_by_provider(nodes: Iterable[AssignedNode]) -> Counter[str]:
    """Count the nodes of each provider."""
    return Counter(node.provider for node in nodes)


class PlacementLog:
    """Listen to a session being made, for what its log says about the providers of its nodes.

    For libraries from 1.17, which cannot be asked before 1.24. To be installed by
    `SetUserLoggingFunction(options, placement.callback.function, placement.callback.parameter)`
    with a session log severity of VERBOSE, for one session, and kept for as long as that lives:
    it passes on what the session says later, too.

    Where one provider has all nodes, the log says only how many they are: they are given without
    name and operator. A group of nodes that a provider compiled is one node, named by the
    provider. ONNX Runtime's log is not made to be read by programs: the words are those of 1.17
    to 1.31, and where they are others there are no nodes.

    Args:
        forward: takes the session's messages of `level` and above, since a session that has this
            callback has no other; by default they go to standard error.
        level: the least severe message that is passed on.

    Attributes:
        callback: to be installed.
        heard: whether the log came to the placement at all.
    """

    def __init__(
        self, forward: LogHandler = to_standard_error, level: LogLevel = LogLevel.WARNING
    ) -> None:
        self._forward = forward
        self._level = LogLevel(level)
        self._nodes: list[AssignedNode] = []
        self._provider = ""
        self.heard = False
        self.callback = LogCallback(self._handle)

    @property
    def nodes(self) -> tuple[AssignedNode, ...]:
        """Return the nodes that were heard of, in the log's order."""
        return tuple(self._nodes)

    def _handle(self, message: LogMessage) -> None:
        if message.severity is LogLevel.VERBOSE and _SOURCE in message.code_location:
            self._read(message.text)
        if message.severity >= self._level:
            self._forward(message)

    def _read(self, text: str) -> None:
        everything = _ALL_NODES.fullmatch(text)
        some = _SOME_NODES.fullmatch(text)
        node = _NODE.fullmatch(text)
        if text == "Node placements":
            self.heard = True
            self._nodes.clear()
        elif everything:
            unnamed = AssignedNode("", "", None, everything["provider"])
            self._nodes += [unnamed] * int(everything["count"])
        elif some:
            self._provider = some["provider"]
        elif node and self._provider:
            self._nodes.append(AssignedNode(node["name"], node["operator"], None, self._provider))


_SOURCE = "VerifyEachNodeIsAssignedToAnEp"
"""ONNX Runtime's function that logs the placement, from 1.17 to 1.31."""

_ALL_NODES = re.compile(
    r" All nodes placed on \[(?P<provider>[^\]]+)\]\. Number of nodes: (?P<count>\d+)"
)
_SOME_NODES = re.compile(r" Node\(s\) placed on \[(?P<provider>[^\]]+)\]\. Number of nodes: \d+")
_NODE = re.compile(r"  (?P<operator>[^ ]+) \((?P<name>.*)\)", re.DOTALL)


def _array(getter: Callable[..., Any], owner: int) -> Iterator[int]:
    """Give the addresses in an array that a function lends."""
    array, count = ctypes.c_void_p(), ctypes.c_size_t()
    getter(owner, ctypes.byref(array), ctypes.byref(count))
    if array.value is not None:
        yield from (ctypes.c_size_t * count.value).from_address(array.value)
