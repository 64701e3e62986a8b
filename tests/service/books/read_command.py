"""Run the command `read`, in a process of its own or in this one; look at what a player sees."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import av

from tests.service import commands


@dataclass
class Call:
    """What a call of the command told.

    Attributes:
        returncode: negative if it was killed.
        events: the JSON lines of standard output.
        complaint: standard error.
    """

    returncode: int
    events: list[dict[str, Any]] = field(default_factory=list)
    complaint: str = ""

    def of(self, event):
        """Return the events of a name."""
        return [one for one in self.events if one["event"] == event]


def command(book, output, cache, *options):
    """Return the arguments of a call with JSON lines."""
    return [
        sys.executable, "-m", "service", "read", str(book), "-o", str(output), "--progress", "json",
        "--cache-dir", str(cache), *options,
    ]  # fmt: skip


def read(book, output, cache, *options):
    """Read a book to the end."""
    done = subprocess.run(
        command(book, output, cache, *options), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return Call(done.returncode, _events(done.stdout), done.stderr)


def read_whole(book, output, cache, *options):
    """Read a book to the end, which is to succeed."""
    done = read(book, output, cache, *options)
    assert done.returncode == 0, done.complaint
    return done


def read_here(book, output, cache, *options):
    """Read a book to the end in this process, which has imported everything already."""
    done = commands.command(*command(book, output, cache, *options)[3:])
    return Call(done.returncode, _events(done.stdout), done.stderr)


def read_and_kill(book, output, cache, *options, after=None, after_s=None, by=signal.SIGKILL):
    """Read a book, and end the process after so many events or seconds, unless it ends before."""
    process = subprocess.Popen(
        command(book, output, cache, *options), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, stdin=subprocess.DEVNULL, preexec_fn=commands.heed_interrupts,
    )  # fmt: skip
    lines = []
    if after is not None:
        for line in process.stdout:
            lines.append(line)
            if len(lines) >= after:
                break
    else:
        with suppress(subprocess.TimeoutExpired):
            process.wait(after_s)
    if process.poll() is None:
        os.kill(process.pid, by)
    lines += process.stdout.readlines()
    process.stdout.close()
    return Call(process.wait(), _events("".join(lines)))


def _events(written):
    # Who is killed may leave half a line.
    lines = [line for line in written.splitlines(keepends=True) if line.endswith("\n")]
    return [json.loads(line) for line in lines]


@dataclass(frozen=True)
class Seen:
    """What a player sees of a sound file.

    Attributes:
        chapters: title and start in seconds of each.
        duration_s: as the file says.
        n_samples: decoded, at 24 kHz.
        tags: of file and stream.
        has_cover: whether there is one.
    """

    chapters: list[tuple[str, float]]
    duration_s: float
    n_samples: int
    tags: dict[str, str]
    has_cover: bool


def played(path):
    """Open and decode a sound file."""
    with av.open(str(path)) as file:
        stream = file.streams.audio[0]
        chapters = [(one["metadata"]["title"], float(one["start"] * one["time_base"])) for one in file.chapters()]
        duration_s = float(stream.duration * stream.time_base)
        tags, has_cover = {**file.metadata, **stream.metadata}, bool(file.streams.video)
        n_samples = sum(f.samples * 24_000 // f.sample_rate for f in file.decode(stream))
    return Seen(chapters, duration_s, n_samples, tags, has_cover)
