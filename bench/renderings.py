"""What models have said and what was found out about it, kept in files: work done in parts."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.processes import ChildError
from bench.sides import Side, speaker

REFERENCE = "published"
FLOOR = "published, nudged"
DISTANCES = "distances"
"""To what the reference says; they are measured anew when that changes."""

Say = Callable[["Case", Path], Sequence[int]]
"""Writes a rendering to a file and returns its durations; see `bench.speaker.save`."""


@dataclass(frozen=True)
class Case:
    """What is said: its text, its phonemes, and by whom."""

    text: str
    phonemes: str
    voice: str

    @property
    def key(self) -> str:
        """Return a name for files."""
        digest = hashlib.sha256(self.phonemes.encode()).hexdigest()[:12]
        return f"{self.voice}-{digest}"


class OutOfTimeError(Exception):
    """There is more to do than was allowed for."""


class Renderings:
    """What the sides have said, kept in files."""

    def __init__(
        self, store: Path, deadline: float, names: Mapping[str, str] | None = None
    ) -> None:
        """Keep them in a folder.

        Args:
            store: the folder.
            deadline: of `time.monotonic`.
            names: of the folders in it, by label, where they are others than the labels.
        """
        self._store = store
        self._deadline = deadline
        self._names = dict(names or {})

    @classmethod
    def of_minutes(
        cls, store: Path, minutes: float, names: Mapping[str, str] | None = None
    ) -> Renderings:
        """Keep them in a folder; time is up after so many minutes."""
        return cls(store, time.monotonic() + minutes * 60, names)

    def render(self, side: Side, cases: Sequence[Case], nudge: float = 0.0) -> None:
        """Have a side say what it has not said yet.

        Raises:
            OutOfTimeError: the deadline came first.
            ChildError: the side cannot be had, or does not tell durations.
        """
        with speaker(side) as found:

            def say(case: Case, path: Path) -> Sequence[int]:
                said = found.say(case.phonemes, case.voice, nudge=nudge, save=path)
                return said.durations

            label = FLOOR if nudge else side.label
            self.fill(label, f"{found.identity}, style off by {nudge:g}", cases, say)

    def fill(self, label: str, identity: str, cases: Sequence[Case], say: Say) -> None:
        """Have said what is not there yet.

        Args:
            label: of the renderings.
            identity: of what speaks; what another one has said under this label is thrown away.
            cases: that shall be there.
            say: speaks.

        Raises:
            OutOfTimeError: the deadline came first.
            ChildError: it does not tell durations.
        """
        self.begin(label, identity)
        missing = [case for case in cases if not self._path(label, case).exists()]
        for number, case in enumerate(missing):
            self.check_time()
            if number % 20 == 0:
                left = f"{self._folder(label).name}: {len(missing) - number} to say"
                print(left, file=sys.stderr, flush=True)
            if not len(say(case, self._path(label, case))):
                raise ChildError(f"{label} does not tell durations")

    def begin(self, label: str, identity: str) -> None:
        """Throw away what another model has said under a label, and what hangs on it."""
        folder = self._folder(label)
        told = folder / "identity.txt"
        if told.exists() and told.read_text(encoding="utf-8") == identity:
            return
        if folder.exists():
            print(f"{folder.name} is another model than before: {identity}", file=sys.stderr)
            shutil.rmtree(folder)
        if label == REFERENCE:
            for distances in self._store.glob(f"*/{DISTANCES}.json"):
                distances.unlink()
        folder.mkdir(parents=True)
        _write(told, identity)

    def check_time(self) -> None:
        """Raise OutOfTimeError when it is time."""
        if time.monotonic() > self._deadline:
            raise OutOfTimeError

    def samples(self, label: str, case: Case) -> np.ndarray:
        """Return float samples of what was said."""
        with np.load(self._path(label, case)) as rendering:
            samples = np.asarray(rendering["samples"])
        return samples / np.float32(32767) if samples.dtype == np.int16 else samples

    def durations(self, label: str, case: Case) -> tuple[int, ...]:
        """Return the frames of each token of what was said."""
        with np.load(self._path(label, case)) as rendering:
            return tuple(map(int, rendering["durations"]))

    def seams(self, label: str, case: Case) -> list[int]:
        """Return the samples in the middle of a fade from one window into the next."""
        with np.load(self._path(label, case)) as rendering:
            return [int(seam) for seam in rendering["seams"]]

    def keep(
        self, label: str, name: str, cases: Sequence[Case], find: Callable[[Case], Any]
    ) -> Any:
        """Return what was found out about each case; find out what was not yet.

        Raises:
            OutOfTimeError: the deadline came first.
        """
        path = self._folder(label) / f"{name}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        try:
            for case in cases:
                if case.key not in known:
                    self.check_time()
                    known[case.key] = find(case)
        finally:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, json.dumps(known))
        return [known[case.key] for case in cases]

    def _path(self, label: str, case: Case) -> Path:
        return self._folder(label) / f"{case.key}.npz"

    def _folder(self, label: str) -> Path:
        return self._store / self._names.get(label, label)


def add_minutes(parser: argparse.ArgumentParser) -> None:
    """Let a command line say how long it may take, as `minutes`."""
    parser.add_argument("--minutes", type=float, default=1e6, help="leave the rest for later")


def in_parts(measure: Callable[[], int]) -> int:
    """Return the exit status of a measurement, 3 where it was out of time."""
    try:
        return measure()
    except OutOfTimeError:
        print("there is more to do; run this again", file=sys.stderr)
        return 3


def _write(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
