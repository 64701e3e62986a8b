"""How right the progress of a book is, and how loud its files are after decoding.

    python -m bench.books BOOK [--chapters 2-5] [--write]

The book is read aloud by `kokoro-service read` in a process of its own. Each row of the first table
is the first line of progress at or after a tenth of the speech; real values are known at the end.
Time is of speaking only, without planning and writing, and so is the time left that is told. Then
the same speech is written in each format at two loudnesses, decoded as a player does, and
measured by ITU-R BS.1770. The second peak is that of the file as the encoder makes it at first.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from bench.command import Section, command_line, publish
from bench.processes import ChildError
from bench.report import note
from service.audio.chaptered_file import BOOK_FORMATS, write_chaptered
from service.audio.loudness import level_for, levelled, measure
from service.audio.sample_rates import SOURCE_RATE_HZ
from service.audio.sound_file import read_samples
from service.books.journal import Journal

TOLERANCE = 0.1
"""Of what is told, from the first tenth on."""

TARGETS_LUFS = (-18, -12)
PEAK_DBTP = -1.0
LOUDNESS_TOLERANCE = 0.2


@dataclass(frozen=True)
class Told:
    """A line of progress, and when it came, in seconds from the end of the plan."""

    at_s: float
    share: float
    left_s: float
    foretold_s: float


@dataclass(frozen=True)
class Reading:
    """A book that was read aloud.

    Attributes:
        told: its progress.
        length_s: of its audio.
        lufs: loudness of its audio, as told.
        writing_s: from the last chunk, or the plan if all were kept, to the end of the process.
    """

    told: Sequence[Told]
    length_s: float
    lufs: float
    writing_s: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    parser = command_line("bench.books", __doc__)
    parser.add_argument("book", type=Path, help="a file that `kokoro-service read` can read")
    parser.add_argument("--chapters", default="1-", help="which of its chapters")
    options = parser.parse_args(arguments)
    return publish(_sections(options.book, options.chapters), write=options.write)


def _sections(book: Path, chapters: str) -> Iterator[Section]:
    about = (__doc__ or "").split("\n\n", 2)[2]
    with TemporaryDirectory() as folder:
        output = Path(folder) / "book.flac"
        reading = read(book, output, "--chapters", chapters, "--keep-state")
        progress, is_right = _progress(reading)
        loudness, is_level = _loudness(book, output, chapters)
    name = f"`{book.name}`, chapters {chapters}: "
    report = f"{name}{progress}\n\n{loudness}"
    yield Section("books", about, report, is_right and is_level)


def read(book: Path, output: Path, *options: str) -> Reading:
    """Read a book aloud.

    Raises:
        ChildError: it could not be read.
    """
    command = [
        sys.executable, "-m", "service", "read", str(book), "-o", str(output), "--progress", "json",
        *options,
    ]  # fmt: skip
    told: list[Told] = []
    started_s = last_s = time.monotonic()
    length_s = lufs = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event: dict[str, Any] = json.loads(line)
            now_s = time.monotonic()
            if event["event"] == "planned":
                started_s = last_s = now_s
            elif event["event"] == "progress":
                last_s = now_s
                told.append(
                    Told(now_s - started_s, event["share"], event["left_s"], event["foretold_s"])
                )
            elif event["event"] == "resumed":
                last_s = now_s
            elif event["event"] == "levelled":
                lufs = event["lufs"]
            elif event["event"] == "done":
                length_s = event["samples"] / SOURCE_RATE_HZ
    if process.returncode:
        raise ChildError(f"{book} could not be read aloud")
    return Reading(told, length_s, lufs, time.monotonic() - last_s)


def _progress(reading: Reading) -> tuple[str, bool]:
    """Return the table, and whether all that was told from the first tenth on is right."""
    total_s, length_s = reading.told[-1].at_s, reading.length_s
    rows = [
        "| share, told | of time | left, told | left, real | whole time | length, told | error |",
        "|---|---|---|---|---|---|---|",
    ]
    tenth = 1
    worst = 0.0
    for one in reading.told:
        if one.share < 0.1:
            continue
        time_error = (one.at_s + one.left_s) / total_s - 1
        length_error = one.foretold_s / length_s - 1
        worst = max(worst, abs(time_error), abs(length_error))
        if one.share < tenth / 10:
            continue
        tenth = int(one.share * 10) + 1
        rows.append(
            f"| {one.share:.1%} | {one.at_s / total_s:.1%} | {one.left_s:.0f} s "
            f"| {total_s - one.at_s:.0f} s | {time_error:+.1%} "
            f"| {one.foretold_s:.0f} s | {length_error:+.1%} |"
        )
    is_right = worst <= TOLERANCE
    head = (
        f"{length_s:.0f} s of audio in {len(reading.told)} chunks, spoken in {total_s:.0f} s "
        f"({length_s / total_s:.1f} times real time) and written in {reading.writing_s:.0f} s. "
        f"Greatest error from the first tenth on: {worst:.1%}, at most {TOLERANCE:.0%}: "
        f"{'met' if is_right else 'missed'}."
    )
    return head + "\n\n" + "\n".join(rows), is_right


def _loudness(book: Path, output: Path, chapters: str) -> tuple[str, bool]:
    rows = [
        "| format | asked | told | loudness | true peak | at first | written in |",
        "|---|---|---|---|---|---|---|",
    ]
    is_level = True
    state = Path(f"{output}.state")
    for target in TARGETS_LUFS:
        level = level_for(lambda: _spoken(state), target)
        for form in BOOK_FORMATS:
            note(f"{form} at {target} LUFS")
            path = output.with_name(f"again.{form}")
            write_chaptered(path, form, levelled(_spoken(state), level), [], {})
            first = measure(decoded(path))
            shutil.copytree(state, f"{path}.state")
            reading = read(book, path, "--chapters", chapters, "--loudness", str(target))
            heard = measure(decoded(path))
            is_level &= abs(heard.lufs - reading.lufs) <= LOUDNESS_TOLERANCE
            is_level &= heard.peak_dbtp <= PEAK_DBTP
            rows.append(
                f"| {form} | {target} LUFS | {reading.lufs:.2f} LUFS | {heard.lufs:.2f} LUFS "
                f"| {heard.peak_dbtp:.2f} dBTP | {first.peak_dbtp:.2f} dBTP "
                f"| {reading.writing_s:.0f} s |"
            )
    return "\n".join(rows), is_level


def _spoken(state: Path) -> Iterator[npt.NDArray[np.float32]]:
    with Journal(state) as journal:
        for chapter in sorted(journal.chapter_lengths()):
            for chunk in journal.chunks(chapter):
                yield read_samples(journal.sound(chunk.key).flac)


def decoded(path: Path) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the samples of a sound file as a player decodes them, float32 at 24 kHz."""
    with av.open(str(path)) as file:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=SOURCE_RATE_HZ)
        for frame in chain(file.decode(file.streams.audio[0]), [None]):
            for part in resampler.resample(frame):
                yield part.to_ndarray()[0]


if __name__ == "__main__":
    sys.exit(main())
