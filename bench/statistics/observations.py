"""The statistics that the decoder measures in chunks decoded whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.deadline import Deadline
from bench.report import note
from bench.statistics.plan import Chunk
from bench.store import claim
from service.model import SplitModel
from service.model.statistics import inputs_of, rows_of
from service.speech import VoiceLibrary

CHANNELS = (256,) * 4 + (128,) * 4
"""Channels of the residual blocks, in the decoder's order."""


@dataclass(frozen=True)
class Observations:
    """What was measured for N chunks.

    Attributes:
        chunks: the chunks.
        inputs: float32 [N, 686], see `inputs_of`.
        rows: float32 [N, 4, n], see `rows_of`.
    """

    chunks: Sequence[Chunk]
    inputs: np.ndarray
    rows: np.ndarray

    def where(self, chosen: Sequence[bool]) -> Observations:
        """Return the observations of the chunks for which `chosen` is true."""
        kept = np.array(chosen, bool)
        chunks = [chunk for chunk, is_kept in zip(self.chunks, kept, strict=True) if is_kept]
        return Observations(chunks, self.inputs[kept], self.rows[kept])


def observe(
    model: SplitModel,
    voices: VoiceLibrary,
    chunks: Sequence[Chunk],
    store: Path,
    deadline: Deadline,
) -> Observations:
    """Measure the chunks that have not been measured yet, and return all observations.

    Raises:
        OutOfTimeError: the deadline passed first.
    """
    claim(store, f"{model.sha256} {model.prepared.detail}")
    inputs, rows = [], []
    for number, chunk in enumerate(chunks):
        path = store / f"{chunk.key}.npz"
        if not path.exists():
            deadline.check()
            if number % 50 == 0:
                note(f"{len(chunks) - number} chunks to decode")
            style = voices.style(voices.resolve(chunk.voice), len(chunk.token_ids))
            encoding = model.encode(chunk.token_ids, style, chunk.speed)
            measured = model.decode(encoding, 0, encoding.n_frames).measured
            part = path.with_suffix(".part.npz")
            np.savez(part, inputs=inputs_of(encoding), rows=rows_of(measured, CHANNELS))
            part.replace(path)
        with np.load(path) as file:
            inputs.append(file["inputs"])
            rows.append(file["rows"])
    return Observations(chunks, np.array(inputs), np.array(rows))
