"""Where a model's nodes are computed, and how much of the time that takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import ortffi

CPU = "CPUExecutionProvider"

_COPIES = ("MemcpyFromHost", "MemcpyToHost")
"""What ONNX Runtime puts between nodes of the processor and of a GPU."""


@dataclass(frozen=True)
class Placement:
    """Who computed the nodes of one run.

    Attributes:
        n_nodes: by provider, copies left out; the one with the most comes first.
        n_copies: between the memory of the processor and that of the GPU.
        cpu_time_share: of the run's time, 0 to 1, in which the processor computed nodes. The rest
            is the GPU's: it computed, or was waited for.
        cpu_operators: types of the nodes that the processor computed, the most frequent first.
    """

    n_nodes: dict[str, int]
    n_copies: int
    cpu_time_share: float
    cpu_operators: tuple[str, ...]

    @property
    def gpu_node_share(self) -> float:
        """Return the share of nodes that the processor did not compute, 0 to 1."""
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
        """Read it from the profiles of one or more runs that computed the same nodes.

        Args:
            profiles: events of each session that the model has.
            run_s: how long the last of the runs took, from outside.
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
        left = f"; left to the processor: {', '.join(self.cpu_operators)}"
        return (
            f"{100 * self.gpu_node_share:.0f} % of the nodes ({nodes}) and "
            f"{100 * self.gpu_time_share:.0f} % of the time on the GPU, {self.n_copies} copies "
            f"between host and device{left if self.cpu_operators else ''}"
        )


@dataclass(frozen=True)
class GpuCheck:
    """What was seen of a model on the GPU before anybody could use it.

    Attributes:
        placement: who computed what.
        distances_db: log-spectral distance to what it says on the processor, by sentence.
        warm_up_s: seconds for a first run with each number of frames.
        capture: what became of CUDA graphs.
    """

    placement: Placement
    distances_db: dict[str, float]
    warm_up_s: float
    capture: str

    def __str__(self) -> str:
        distances = ", ".join(f"{name} {d:.1f} dB" for name, d in self.distances_db.items())
        return (
            f"{self.placement}; the durations of the processor, distance {distances}; "
            f"warmed up in {self.warm_up_s:.1f} s; {self.capture}"
        )


def _covered_s(events: Iterable[ortffi.KernelEvent]) -> float:
    """Return how many seconds are inside one event or more: nodes may hold others."""
    covered_s, reached_s = 0.0, 0.0
    for event in sorted(events, key=lambda event: event.start_s):
        end_s = event.start_s + event.duration_s
        covered_s += max(0.0, end_s - max(event.start_s, reached_s))
        reached_s = max(reached_s, end_s)
    return covered_s
