"""Renderings of models and measurements of them, kept in files, so that work is done in parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.deadline import Deadline
from bench.processes import ChildError
from bench.report import note
from bench.sides import Side, speaker
from bench.store import claim, write_text

REFERENCE = "published"
FLOOR = "published, nudged"
DISTANCES = "distances"
"""Name of the distances to the reference; they are deleted when the reference changes."""

Say = Callable[["Case", Path], Sequence[int]]
"""Writes a rendering to a file, and returns its durations; see `bench.speaker.save`."""


@dataclass(frozen=True)
class Case:
    """What is said, and by which voice."""

    text: str
    phonemes: str
    voice: str

    @property
    def key(self) -> str:
        """Return a name for its files."""
        digest = hashlib.sha256(self.phonemes.encode()).hexdigest()[:12]
        return f"{self.voice}-{digest}"


class Renderings:
    """Renderings of the sides, kept in files."""

    def __init__(
        self, store: Path, deadline: Deadline, names: Mapping[str, str] | None = None
    ) -> None:
        """Keep renderings in a folder.

        Args:
            store: the folder.
            deadline: after which nothing more is rendered.
            names: names of its subfolders by label, where they differ from the labels.
        """
        self._store = store
        self._deadline = deadline
        self._names = dict(names or {})

    def render(self, side: Side, cases: Sequence[Case], nudge: float = 0.0) -> None:
        """Have a side say the cases that it has not said yet.

        Raises:
            OutOfTimeError: the deadline passed first.
            ChildError: the side is not available here, or returns no durations.
        """
        with speaker(side) as found:

            def say(case: Case, path: Path) -> Sequence[int]:
                said = found.say(case.phonemes, case.voice, nudge=nudge, save=path)
                return said.durations

            label = FLOOR if nudge else side.label
            self.fill(label, f"{found.identity}, style off by {nudge:g}", cases, say)

    def fill(self, label: str, identity: str, cases: Sequence[Case], say: Say) -> None:
        """Make the renderings that are missing.

        Args:
            label: label of the renderings.
            identity: what speaks; renderings of any other identity under this label are deleted.
            cases: what to render.
            say: makes a rendering.

        Raises:
            OutOfTimeError: the deadline passed first.
            ChildError: `say` returned no durations.
        """
        self.begin(label, identity)
        missing = [case for case in cases if not self._path(label, case).exists()]
        for number, case in enumerate(missing):
            self._deadline.check()
            if number % 20 == 0:
                left = f"{self._folder(label).name}: {len(missing) - number} to say"
                note(left)
            if not len(say(case, self._path(label, case))):
                raise ChildError(f"{label} returns no durations")

    def begin(self, label: str, identity: str) -> None:
        """Delete the renderings of another model under a label, and what depends on them."""
        if claim(self._folder(label), identity) and label == REFERENCE:
            for distances in self._store.glob(f"*/{DISTANCES}.json"):
                distances.unlink()

    def samples(self, label: str, case: Case) -> np.ndarray:
        """Return the samples of a rendering, float [n]."""
        with np.load(self._path(label, case)) as rendering:
            samples = np.asarray(rendering["samples"])
        return samples / np.float32(32767) if samples.dtype == np.int16 else samples

    def durations(self, label: str, case: Case) -> tuple[int, ...]:
        """Return the frames of each token of a rendering."""
        with np.load(self._path(label, case)) as rendering:
            return tuple(map(int, rendering["durations"]))

    def seams(self, label: str, case: Case) -> list[int]:
        """Return the samples in the middle of a fade from one window into the next."""
        with np.load(self._path(label, case)) as rendering:
            return [int(seam) for seam in rendering["seams"]]

    def keep(
        self, label: str, name: str, cases: Sequence[Case], find: Callable[[Case], Any]
    ) -> Any:
        """Return a result for each case; `find` makes the missing ones, and all are kept.

        Raises:
            OutOfTimeError: the deadline passed first.
        """
        path = self._folder(label) / f"{name}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        try:
            for case in cases:
                if case.key not in known:
                    self._deadline.check()
                    known[case.key] = find(case)
        finally:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(known))
        return [known[case.key] for case in cases]

    def _path(self, label: str, case: Case) -> Path:
        return self._folder(label) / f"{case.key}.npz"

    def _folder(self, label: str) -> Path:
        return self._store / self._names.get(label, label)
