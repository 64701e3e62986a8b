"""The sides of a comparison: what speaks, with which settings, in which process.

On the command lines of this folder a side of ours is `LABEL` or `LABEL:setting=value,...`, with the
settings that `kokoro-service serve` has: `--side published:model=/models/kokoro.onnx`. It gets them
as KOKORO_* variables, in a server as in a process that only runs the model, and nothing else of the
caller's settings. `OURS` has the labels that need none.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench import speech
from bench.processes import (
    REPOSITORY,
    THREADS,
    ChildError,
    Process,
    answer,
    ask,
    python,
    server,
)
from bench.report import note
from bench.timing import alternate
from service.settings import ENVIRONMENT_PREFIX, Settings

PEERS = REPOSITORY / ".venv" / "peers"
"""A virtual environment for each package that we are measured against; see the Makefile."""


@dataclass(frozen=True)
class Side:
    """One of those that are compared.

    Attributes:
        label: what it is called in tables.
        kind: of `bench.speaker.SIDES`.
        settings: of the service; only where it is ours.
        variant: how its model must have been prepared, where that matters: native, stock, or None
            for as it is.
    """

    label: str
    kind: str = "service"
    settings: dict[str, str] = field(default_factory=dict)
    variant: str | None = "any"

    def environment(self) -> dict[str, str]:
        """Return the variables that make a process of ours this side."""
        return {ENVIRONMENT_PREFIX + name.upper(): value for name, value in self.settings.items()}

    def server(self) -> AbstractContextManager[tuple[Process, int]]:
        """Run the service as this side; see `bench.processes.server`."""
        module = "bench.stock" if self.kind == "stock" else "service"
        return server(self.environment(), module)


OURS = {
    side.label: side
    for side in (
        Side("service"),
        Side("published", settings={"prepare": "false"}, variant=None),
        Side("stock", kind="stock", variant="stock"),
        Side("native", variant="native"),
    )
}
"""What the service does by default here, and the three things that it can do."""

BARE = Side("onnxruntime", "onnxruntime")
"""The published file in a bare session of that package."""


@dataclass(frozen=True)
class Spoken:
    """What one run took; see `bench.speaker`."""

    seconds: float
    cpu_s: float
    n_samples: int
    durations: tuple[int, ...]
    resident_mib: float
    peak_mib: float

    @property
    def audio_s(self) -> float:
        """Return the length of the audio."""
        return self.n_samples / 24_000


class Speaker:
    """A process that is a side.

    Attributes:
        identity: how its model was prepared if it is ours, and the versions that it runs; what has
            the same one speaks the same.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self.identity: str = json.loads(answer(process))["identity"]

    def say(
        self,
        phonemes: str,
        voice: str = "af_heart",
        *,
        nudge: float = 0.0,
        save: Path | None = None,
    ) -> Spoken:
        """Have it speak.

        Args:
            phonemes: at most 510, each of them a token.
            voice: a voice's name.
            nudge: how far the style is off at most, as a share of each of its numbers.
            save: file for the samples and the durations.

        Raises:
            ChildError: the process ended.
        """
        token_ids, style = speech.inputs(phonemes, voice)
        if nudge:
            noise = np.random.default_rng(0).uniform(-nudge, nudge, style.shape)
            style = (style * (1 + noise)).astype(np.float32)
        request = {
            "phonemes": phonemes,
            "token_ids": token_ids,
            "style": style.tobytes().hex(),
            "speed": 1.0,
            "save": str(save) if save else None,
        }
        told = json.loads(ask(self._process, json.dumps(request)))
        told["durations"] = tuple(told["durations"])
        return Spoken(**told)


@contextmanager
def speaker(side: Side, threads: int = THREADS) -> Iterator[Speaker]:
    """Run a process that is a side, with its model loaded.

    Raises:
        ChildError: its virtual environment is missing, or it cannot load.
    """
    own_threads = side.settings.get("threads", str(threads))
    arguments = ["-m", "bench.speaker", side.kind, str(speech.model()), own_threads]
    if side.kind == "kokoro-onnx":
        run = python(*arguments, interpreter=programs_of("kokoro-onnx") / "python")
    else:
        run = python(*arguments, environment=side.environment())
    with run as process:
        found = Speaker(process)
        if side.variant != "any" and not found.identity.startswith(f"{side.variant},"):
            raise ChildError(f"{side.label} is not to be had here: it is {found.identity}")
        yield found


def pair_up(ours: Side, theirs: Side, n_tokens: int, repeats: int) -> list[tuple[Spoken, Spoken]]:
    """Have two sides say the same in turns, each in a fresh process.

    Raises:
        ChildError: a process failed, or their audio is not of the same length.
    """
    phonemes = speech.phonemes(n_tokens)
    with speaker(ours) as our_speaker, speaker(theirs) as their_speaker:
        pairs = alternate(
            lambda: our_speaker.say(phonemes),
            lambda: their_speaker.say(phonemes),
            repeats,
            warm_ups=1,
        )
    if any(one.n_samples != other.n_samples for one, other in pairs):
        raise ChildError("both sides must make audio of the same length")
    return pairs


def programs_of(name: str) -> Path:
    """Return the folder of programs of a peer's virtual environment.

    Raises:
        ChildError: it is not there.
    """
    programs = PEERS / name / "bin"
    if not (programs / "python").exists():
        raise ChildError(f"{name} is not installed: make peers")
    return programs


def parse_side(text: str) -> Side:
    """Read a side of the command line."""
    label, _, settings = text.partition(":")
    if not settings:
        if label not in OURS:
            raise argparse.ArgumentTypeError(f"{label!r} is none of {', '.join(OURS)}")
        return OURS[label]
    pairs = [pair.partition("=")[::2] for pair in settings.split(",")]
    unknown = [name for name, _ in pairs if name not in Settings.model_fields]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no setting {unknown[0]!r}")
    return Side(label, settings=dict(pairs))


def add_sides(parser: argparse.ArgumentParser, default: Sequence[str]) -> None:
    """Let a command line name the sides of ours; the first one is what the others are held to."""
    parser.add_argument(
        "--side",
        dest="sides",
        action="append",
        type=parse_side,
        metavar="LABEL[:SETTING=VALUE,...]",
        help=f"a side of ours; several times; {', '.join(default)} by default",
    )
    parser.set_defaults(default_sides=[parse_side(label) for label in default])


def chosen_sides(options: argparse.Namespace) -> list[Side]:
    """Return the sides of a command line, each of which has been loaded once.

    So models are prepared before anything is measured.

    Raises:
        ChildError: one of them cannot be had on this machine.
    """
    sides: list[Side] = options.sides or options.default_sides
    for side in sides:
        with speaker(side) as found:
            note(f"{side.label}: {found.identity}")
    return sides
