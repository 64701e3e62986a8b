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
"""For `read_assignment`, this configuration entry must be `1` when the session is made."""


@dataclass(frozen=True)
class AssignedNode:
    """A node and the provider that computes it.

    Attributes:
        name: of the node; empty if it has none or it is unknown.
        operator: its type, such as `MatMul`; empty if it is unknown.
        domain: of the operator, empty for ONNX's own; None if it is unknown.
        provider: the execution provider's name, such as `CPUExecutionProvider`.
    """

    name: str
    operator: str
    domain: str | None
    provider: str


def read_assignment(environment: Environment, session: int) -> tuple[AssignedNode, ...]:
    """Read the nodes with their providers (`Session_GetEpGraphAssignmentInfo` and others).

    They are the model's own nodes, as they were before a compiling provider merged them. Nodes in
    the bodies of loops and branches are included.

    Args:
        environment: the environment of the session.
        session: an `OrtSession*`, lent during the call, that was made with `RECORD_ASSIGNMENT` set
            to `1`.

    Raises:
        UnsupportedError: the library is older than 1.24. From 1.17 on, use `PlacementLog`.
        OrtError: the session was made without the configuration entry.
    """
    api = environment.api
    require(api, "Session_GetEpGraphAssignmentInfo")

    def text(getter: Callable[..., Any], thing: int) -> str:
        # The session owns the string.
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
    """Reads the providers of a session's nodes from the log that ONNX Runtime writes for it.

    It is for libraries from 1.17 to 1.23, which have no function for this. Install it for one
    session, with the session's log severity set to VERBOSE, by
    `SetUserLoggingFunction(options, placement.callback.function, placement.callback.parameter)`.
    Keep it alive as long as the session, because it also forwards the session's later messages.

    If one provider has all nodes, the log contains only their number, so they have no names and
    operators. A group of nodes that a provider compiled is one node, which the provider named. The
    log is not meant for programs: the patterns match 1.17 to 1.31, and find no nodes if a version
    uses other words.

    Args:
        forward: takes the session's messages of `level` and above, because the session has no
            other callback; by default they go to standard error.
        level: messages below this level are not forwarded.

    Attributes:
        callback: the callback to install.
        heard: whether the log mentioned the placement at all.
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
        """Return the nodes in the log, in its order."""
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
"""The function of ONNX Runtime that logs the placement, from 1.17 to 1.31."""

_ALL_NODES = re.compile(
    r" All nodes placed on \[(?P<provider>[^\]]+)\]\. Number of nodes: (?P<count>\d+)"
)
_SOME_NODES = re.compile(r" Node\(s\) placed on \[(?P<provider>[^\]]+)\]\. Number of nodes: \d+")
_NODE = re.compile(r"  (?P<operator>[^ ]+) \((?P<name>.*)\)", re.DOTALL)


def _array(getter: Callable[..., Any], owner: int) -> Iterator[int]:
    """Yield the addresses in an array that a function lends."""
    array, count = ctypes.c_void_p(), ctypes.c_size_t()
    getter(owner, ctypes.byref(array), ctypes.byref(count))
    if array.value is not None:
        yield from (ctypes.c_size_t * count.value).from_address(array.value)
