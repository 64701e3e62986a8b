"""Reading a session's profile: which kernel ran where, and for how long.

From `EnableProfiling` to `SessionEndProfiling`, ONNX Runtime writes a JSON file with one event per
line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_KERNEL_TIME = "_kernel_time"
_MICROSECOND = 1e-6

_NAMED = re.compile(r'(?P<before>.*?"name" :")(?P<name>.*)(?P<after>","args" : \{.*)')
"""The parts of a line around the name, which older versions (1.18) did not escape."""


@dataclass(frozen=True)
class KernelEvent:
    """One computation of one node.

    Attributes:
        node: its name; for an unnamed node ONNX Runtime makes one of the operator and a number.
        operator: its type, such as `MatMul`.
        provider: the execution provider that computed it; empty if the profile has none.
        start_s: seconds since the beginning of the profile, to the microsecond.
        duration_s: seconds, to the microsecond, including the nodes in the body of a loop or a
            branch. On a GPU this is the time to start the kernel, which may end later.
        thread: the system's thread id.
    """

    node: str
    operator: str
    provider: str
    start_s: float
    duration_s: float
    thread: int


@dataclass(frozen=True)
class ProviderShare:
    """One execution provider's share of the work.

    Attributes:
        n_nodes: the number of different nodes it computed.
        node_share: share of all nodes, 0 to 1.
        duration_s: seconds in its kernels, without kernels that ran inside them.
        time_share: share of the time of all kernels, 0 to 1; 0 if they took no time.
    """

    n_nodes: int
    node_share: float
    duration_s: float
    time_share: float


def read_profile(path: str | os.PathLike[str]) -> tuple[KernelEvent, ...]:
    """Read the kernel events of a profile, in the order of the file (by end time).

    Incomplete events are skipped, so a truncated file can be read too.

    Raises:
        TypeError: not a path.
        OSError: the file cannot be read.
        ValueError: it is not a profile: it does not begin with a JSON array.
    """
    # `fspath`, because `open` would take an int as a file descriptor and close it.
    with open(os.fspath(path), encoding="utf-8", errors="replace") as file:
        first = file.readline().strip()
        if first and not first.startswith("["):
            raise ValueError(f"{os.fspath(path)} is not a profile of ONNX Runtime")
        lines = (first[1:], *file)
        return tuple(event for line in lines for event in _events(line))


def by_provider(events: Iterable[KernelEvent]) -> dict[str, ProviderShare]:
    """Sum up each provider's work; the one with the most time comes first."""
    nodes: dict[str, set[tuple[str, str]]] = {}
    seconds: dict[str, float] = {}
    for event, own_s in _own_times(events):
        nodes.setdefault(event.provider, set()).add((event.node, event.operator))
        seconds[event.provider] = seconds.get(event.provider, 0.0) + own_s
    n_nodes, total_s = sum(map(len, nodes.values())), sum(seconds.values())
    return {
        provider: ProviderShare(
            n_nodes=len(nodes[provider]),
            node_share=len(nodes[provider]) / n_nodes,
            duration_s=seconds[provider],
            time_share=seconds[provider] / total_s if total_s else 0.0,
        )
        for provider in sorted(seconds, key=lambda provider: (-seconds[provider], provider))
    }


def _own_times(events: Iterable[KernelEvent]) -> Iterator[tuple[KernelEvent, float]]:
    """Yield each event with its duration minus those of the events directly inside it.

    A kernel that starts before another one in its thread has ended runs inside it: start and
    duration are both rounded down, so the next kernel never seems to start too early.
    """
    ordered = sorted(events, key=lambda event: (event.thread, event.start_s, -event.duration_s))
    own = [event.duration_s for event in ordered]
    around: list[int] = []
    for index, event in enumerate(ordered):
        while around and not _is_inside(event, ordered[around[-1]]):
            around.pop()
        if around:
            own[around[-1]] -= event.duration_s
        around.append(index)
    return zip(ordered, (max(time_s, 0.0) for time_s in own), strict=True)


def _is_inside(event: KernelEvent, other: KernelEvent) -> bool:
    # Half a microsecond covers the rounding errors of adding floats.
    ends = other.start_s + other.duration_s - _MICROSECOND / 2
    return event.thread == other.thread and event.start_s < ends


def _events(line: str) -> Iterator[KernelEvent]:
    """Yield the event of a line if it is complete and of a kernel."""
    event = _parse(line.strip().rstrip(",]"))
    if not isinstance(event, dict) or event.get("cat") != "Node":
        return
    name, arguments = event.get("name"), event.get("args")
    if not isinstance(name, str) or not name.endswith(_KERNEL_TIME):
        return
    if not isinstance(arguments, dict):
        return
    try:
        yield KernelEvent(
            node=name.removesuffix(_KERNEL_TIME),
            operator=str(arguments.get("op_name", "")),
            provider=str(arguments.get("provider", "")),
            start_s=int(event["ts"]) * _MICROSECOND,
            duration_s=int(event["dur"]) * _MICROSECOND,
            thread=int(event["tid"]),
        )
    except (KeyError, TypeError, ValueError):
        return


def _parse(text: str) -> Any:
    """Return the JSON value of a line, or None if it is not JSON."""
    import json  # needed only to read a profile

    try:
        return json.loads(text)
    except ValueError:
        parts = _NAMED.fullmatch(text)
    if parts is None:
        return None
    try:
        return json.loads(parts["before"] + json.dumps(parts["name"])[1:-1] + parts["after"])
    except ValueError:
        return None
