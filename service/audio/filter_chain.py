"""FFmpeg's audio filters on mono samples at 24 kHz, by PyAV. Needs the extra `books`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from service.audio.sample_rates import SOURCE_RATE_HZ

if TYPE_CHECKING:
    from av import AudioFrame


class FilterChain:
    """A chain of filters, which samples are pushed through. Memory does not grow.

    Args:
        filters: name and arguments of each, in FFmpeg's terms.
    """

    def __init__(self, filters: Sequence[tuple[str, str]]) -> None:
        import av  # 70 MB that only books need
        from av.filter import Graph

        self._frame = av.AudioFrame
        self._nothing_yet = (av.error.BlockingIOError, av.error.EOFError)
        self._graph = Graph()
        last = self._graph.add_abuffer(
            format="flt", sample_rate=SOURCE_RATE_HZ, layout="mono",
            time_base=Fraction(1, SOURCE_RATE_HZ),
        )  # fmt: skip
        for name, arguments in (*filters, ("aformat", "sample_fmts=flt"), ("abuffersink", "")):
            following = self._graph.add(name, arguments) if arguments else self._graph.add(name)
            last.link_to(following)
            last = following
        self._graph.configure()
        self._n_samples = 0

    def push(self, samples: npt.NDArray[np.float32]) -> Iterator[AudioFrame]:
        """Push samples, float32 [n]; yield the frames that come out."""
        if samples.size:
            frame = self._frame.from_ndarray(np.ascontiguousarray(samples[None]), "flt", "mono")
            frame.sample_rate = SOURCE_RATE_HZ
            frame.time_base = Fraction(1, SOURCE_RATE_HZ)
            frame.pts = self._n_samples
            self._n_samples += samples.size
            self._graph.push(frame)
            yield from self._pull()

    def finish(self) -> Iterator[AudioFrame]:
        """Yield the frames that were held back. Call once, at the end."""
        self._graph.push(None)
        yield from self._pull()

    def _pull(self) -> Iterator[AudioFrame]:
        while True:
            try:
                yield self._graph.pull()  # type: ignore[misc]
            except self._nothing_yet:
                return


def filtered(
    samples: Iterable[npt.NDArray[np.float32]], filters: Sequence[tuple[str, str]]
) -> Iterator[npt.NDArray[np.float32]]:
    """Yield samples as filters change them."""
    chain = FilterChain(filters)
    for part in samples:
        for frame in chain.push(part):
            yield frame.to_ndarray()[0]
    for frame in chain.finish():
        yield frame.to_ndarray()[0]
