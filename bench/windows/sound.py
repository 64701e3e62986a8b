"""How decoding in windows sounds."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import service.model.statistics
import service.speech.windows
from bench import speech
from bench.deadline import Deadline
from bench.processes import REPOSITORY, THREADS
from bench.renderings import Case, Renderings
from bench.speaker import identity, save
from bench.variants import opened
from bench.windows.comparison import compare
from bench.windows.seams import draw_seams
from bench.windows.sentences import sentences
from bench.windows.ways import PUBLISHED, WHOLE, WINDOWS, Say, in_windows, whole
from service.loading import STATISTICS
from service.model.prepared import Variant
from service.resources import resource
from service.settings import Settings

STORE = REPOSITORY / "build" / "bench" / "windows"
PICTURE = REPOSITORY / "docs" / "seams.svg"
DRAWN: Variant = "native"
"""The side whose seams are in the docs, and whose name is left out of sections and folders."""


def name_of(label: str, side: Variant) -> str:
    """Return a label with the name of the side, unless it is the native one."""
    return label if side == DRAWN else f"{label} of {side}"


def renderings_of(side: Variant, store: Path, minutes: float) -> Renderings:
    """Return the renderings of a side; all sides share those of the published model."""
    names = {label: name_of(label, side) for label in (WHOLE, WINDOWS)}
    return Renderings(store, Deadline(minutes), names)


def measure_sound(side: Variant, options: argparse.Namespace) -> tuple[str, bool]:
    """Return the tables of a side's sound, and whether every bound is met; draw seams if asked to.

    Raises:
        OutOfTimeError: the deadline passed before all was rendered and recognized.
        ChildError: the side cannot be decoded in windows here.
    """
    cases = sentences(options.voices.split(","), options.sentences)
    renderings = renderings_of(side, STORE, options.minutes)
    render(side, cases, renderings)
    report, met = compare(side, cases, renderings)
    if options.write and side == DRAWN:
        PICTURE.write_text(draw_seams(cases, renderings), encoding="utf-8")
    return report, met


_DECODING = [
    Path(str(module.__file__)) for module in (service.speech.windows, service.model.statistics)
]
"""Modules that decide how windows sound, besides the model."""


def render(side: Variant, cases: Sequence[Case], renderings: Renderings) -> None:
    """Render the cases that a side or the published model has not rendered yet.

    Raises:
        OutOfTimeError: the deadline passed first.
        ChildError: the side cannot be decoded in windows here.
    """
    with opened(side, Settings(threads=THREADS)) as model:
        name = ", ".join(identity(model))
        renderings.fill(WHOLE, name, cases, _writer(whole(model)))
        name += f", decoding {_digest(*_DECODING, resource('voices') / STATISTICS)}"
        renderings.fill(WINDOWS, name, cases, _writer(in_windows(model)))
    with opened(None, Settings(threads=THREADS)) as model:
        renderings.fill(PUBLISHED, ", ".join(identity(model)), cases, _writer(whole(model)))


def _writer(say: Say) -> Callable[[Case, Path], Sequence[int]]:
    def write(case: Case, path: Path) -> Sequence[int]:
        said = say(*speech.inputs(case.phonemes, case.voice))
        durations = [] if said.durations is None else [int(n) for n in said.durations]
        save(path, said.samples, durations, said.seams)
        return durations

    return write


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
