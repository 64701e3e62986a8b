"""Placement: which provider computes a model's nodes, and for how much of the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import ortffi

CPU = "CPUExecutionProvider"

_COPIES = ("MemcpyFromHost", "MemcpyToHost")
"""Nodes that ONNX Runtime inserts between those of the CPU and of a GPU."""


@dataclass(frozen=True)
class Placement:
    """Which provider computed the nodes of one run.

    Attributes:
        n_nodes: by provider, without copies; the provider with the most comes first.
        n_copies: copies between the memory of the host and of the GPU.
        cpu_time_share: share of the run's time, 0 to 1, in which the CPU computed nodes. In the
            rest the GPU computed, or was waited for.
        cpu_operators: types of the nodes on the CPU, the most frequent first.
    """

    n_nodes: dict[str, int]
    n_copies: int
    cpu_time_share: float
    cpu_operators: tuple[str, ...]

    @property
    def gpu_node_share(self) -> float:
        """Return the share of nodes that are not on the CPU, 0 to 1."""
        n_all = sum(self.n_nodes.values())
        return 1 - self.n_nodes.get(CPU, 0) / n_all if n_all else 0.0

    @property
    def gpu_time_share(self) -> float:
        """Return the share of the run's time that is the GPU's, 0 to 1."""
        return 1 - self.cpu_time_share

    @classmethod
    def of_last_run(
        cls, profiles: Iterable[Iterable[ortffi.KernelEvent]], run_s: float
    ) -> Placement:
        """Make it of the profiles of one or more runs of the same nodes.

        Args:
            profiles: events of each of the model's sessions.
            run_s: duration of the last run, measured from outside.
        """
        nodes, n_copies, cpu_s = [], 0, 0.0
        for events in profiles:
            last = {(event.node, event.operator): event for event in events}
            computed = [event for event in last.values() if event.operator not in _COPIES]
            n_copies += len(last) - len(computed)
            # Each profile has a clock of its own.
            cpu_s += _covered_s(event for event in computed if event.provider == CPU)
            nodes += computed
        on_cpu = Counter(event.operator for event in nodes if event.provider == CPU)
        return cls(
            n_nodes=dict(Counter(event.provider for event in nodes).most_common()),
            n_copies=n_copies,
            cpu_time_share=min(1.0, cpu_s / run_s) if run_s > 0 else 1.0,
            cpu_operators=tuple(operator for operator, _ in on_cpu.most_common()),
        )

    def __str__(self) -> str:
        nodes = ", ".join(
            f"{n} {provider.removesuffix('ExecutionProvider')}"
            for provider, n in self.n_nodes.items()
        )
        left = f"; left to the CPU: {', '.join(self.cpu_operators)}"
        return (
            f"{100 * self.gpu_node_share:.0f} % of the nodes ({nodes}) and "
            f"{100 * self.gpu_time_share:.0f} % of the time on the GPU, {self.n_copies} copies "
            f"between host and device{left if self.cpu_operators else ''}"
        )


@dataclass(frozen=True)
class GpuCheck:
    """Results of the checks of a model on the GPU.

    Attributes:
        placement: of its nodes.
        distances_db: log-spectral distance to the CPU, by sentence.
        warm_up_s: seconds of the first runs of all lengths, and of capturing.
        capture: whether there are CUDA graphs, for the log.
    """

    placement: Placement
    distances_db: dict[str, float]
    warm_up_s: float
    capture: str

    def __str__(self) -> str:
        distances = ", ".join(f"{name} {d:.1f} dB" for name, d in self.distances_db.items())
        return (
            f"{self.placement}; durations equal to the CPU's, distance {distances}; "
            f"warmed up in {self.warm_up_s:.1f} s; {self.capture}"
        )


def _covered_s(events: Iterable[ortffi.KernelEvent]) -> float:
    """Return how many seconds are within at least one event; events may be nested."""
    covered_s, reached_s = 0.0, 0.0
    for event in sorted(events, key=lambda event: event.start_s):
        end_s = event.start_s + event.duration_s
        covered_s += max(0.0, end_s - max(event.start_s, reached_s))
        reached_s = max(reached_s, end_s)
    return covered_s
