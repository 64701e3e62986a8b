"""What is measured, how often, and against which peers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench import speech
from bench.processes import REPOSITORY, THREADS, python
from bench.sides import Side, Speaker

PACKAGE = REPOSITORY / ".venv" / "gpu"
"""Where `make bench-gpu` installs the package; the virtual environment has the one for CPUs."""
LONGEST_TOKENS = 398
CHUNKS_S = (5.0, 9.0, 20.0)
SHORTEST, STEP, BLOCKS, BLOCK = 8, 4, 7, 8


def blocks() -> list[list[int]]:
    """Return distinct numbers of tokens, in blocks that each have small and large ones."""
    lengths = range(SHORTEST, SHORTEST + STEP * BLOCKS * BLOCK, STEP)
    # A block has every seventh length, ordered so that no two neighbors are close.
    return [_mixed(list(lengths[first::BLOCKS])) for first in range(BLOCKS)]


def _mixed(lengths: list[int]) -> list[int]:
    half = len(lengths) // 2
    return [n for pair in zip(lengths[half:], reversed(lengths[:half]), strict=True) for n in pair]


@dataclass(frozen=True)
class Extent:
    """What is said, and how often.

    Attributes:
        one_length: pairs at one length.
        n_tokens: that length.
        blocks: numbers of tokens for mixed lengths.
        servers: how many are started to measure a first request.
        streams: pairs of streams of the paragraph.
        paragraph: what is streamed.
        n_tokens_at_once: what the package says for comparison with a stream.
        windows: pairs for each chunk that is decoded in windows and whole.
        chunks_s: about how many seconds these chunks have, the longest last.
    """

    one_length: int = 30
    n_tokens: int = speech.USUAL
    blocks: Sequence[Sequence[int]] = field(default_factory=blocks)
    servers: int = 3
    streams: int = 5
    paragraph: str = speech.PARAGRAPH
    n_tokens_at_once: int = LONGEST_TOKENS
    windows: int = 9
    chunks_s: Sequence[float] = CHUNKS_S

    def limited(self, n: int | None) -> Extent:
        """Return a copy with at most `n` pairs of each measurement; None sets no limit."""
        if n is None:
            return self
        return replace(self, one_length=n, blocks=self.blocks[:n], servers=n, streams=n, windows=n)


@dataclass(frozen=True)
class Setup:
    """What is measured against what; tests replace it, to run without a GPU.

    Attributes:
        settings: our side's settings besides those that `ours` adds.
        environment: variables of our side's processes.
        peers: sides of `bench.gpu.peer`; the bounds refer to the first one.
        package: folder of the package; None for the installed one.
        measures_memory: whether there is a GPU whose memory can be measured.
    """

    settings: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    peers: tuple[str, ...] = ("exhaustive", "heuristic", "defaults")
    package: Path | None = PACKAGE
    measures_memory: bool = True

    def ours(self, precision: str, **more: str) -> OurSide:
        """Return our side in a precision."""
        settings = {"provider": "cuda", "precision": precision, **self.settings, **more}
        return OurSide("ours", settings=settings, variables=self.environment)

    @contextmanager
    def peer(self, name: str, folder: Path) -> Iterator[Speaker]:
        """Run a process of the package with a prepared model.

        Raises:
            ChildError: it cannot load the model.
        """
        environment = {} if self.package is None else {"PYTHONPATH": str(self.package)}
        arguments = ("-m", "bench.gpu.peer", name, str(folder), str(THREADS))
        with python(*arguments, environment=environment) as process:
            yield Speaker(process)


@dataclass(frozen=True)
class OurSide(Side):
    """A side of ours with environment variables besides its settings."""

    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Return the environment variables that make a process this side."""
        return {**super().environment(), **self.variables}
