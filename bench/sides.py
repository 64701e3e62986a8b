"""The sides of a comparison: what speaks, with which settings, in which process.

On the command lines of this folder, a side of ours is `LABEL` or `LABEL:setting=value,...` with
settings of `kokoro-service serve`: `--side published:model=/models/kokoro.onnx`. Its processes get
these settings as KOKORO_* variables, and none of the caller's other settings. `OURS` has the labels
that need no settings.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
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
from service.preparation.operators import NativeUnavailableError, find_native_operators
from service.settings import ENVIRONMENT_PREFIX, Settings

PEERS = REPOSITORY / ".venv" / "peers"
"""Virtual environments of the packages that we are compared with; see the Makefile."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        label: its name in tables.
        kind: one of `bench.speaker.SIDES`.
        settings: settings of the service, for a side of ours.
        variant: the variant that its model must have: `native`, `stock`, None for the published
            model, or `any`.
    """

    label: str
    kind: str = "service"
    settings: dict[str, str] = field(default_factory=dict)
    variant: str | None = "any"

    def environment(self) -> dict[str, str]:
        """Return the environment variables that make a process this side."""
        return {ENVIRONMENT_PREFIX + name.upper(): value for name, value in self.settings.items()}

    @property
    def kernels(self) -> str | None:
        """Return the instruction set of its native operators, as the service will have it.

        `stock` if it has none; None if its model is not prepared.
        """
        settings = Settings.model_validate(self.settings)
        if not settings.prepare:
            return None
        if self.kind == "stock":
            return "stock"
        try:
            # To find those that are named would choose them for this whole process.
            return settings.kernels or find_native_operators().kernels
        except NativeUnavailableError:
            return "stock"

    def with_setting(self, name: str, value: str) -> Side:
        """Return this side with another setting, which its label tells."""
        settings = {**self.settings, name: value}
        return replace(self, label=f"{self.label}, {name} = {value}", settings=settings)

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
"""The service with its defaults, and with each variant of the model on a CPU."""

BARE = Side("onnxruntime", "onnxruntime")
"""The published file in a bare session of the package."""


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
    """A process that speaks as a side.

    Attributes:
        identity: the variant of its model, if it is ours, and the versions it runs; equal
            identities mean equal speech.
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
            nudge: largest relative change of each number of the style.
            save: file to write samples and durations to.

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
        answered = json.loads(ask(self._process, json.dumps(request)))
        answered["durations"] = tuple(answered["durations"])
        return Spoken(**answered)


@contextmanager
def speaker(side: Side, threads: int = THREADS) -> Iterator[Speaker]:
    """Run a process of a side, with its model loaded.

    Raises:
        ChildError: its virtual environment is missing, or it cannot load the model.
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
            raise ChildError(f"{side.label} is not available here: it is {found.identity}")
        yield found


def pair_up(ours: Side, theirs: Side, n_tokens: int, repeats: int) -> list[tuple[Spoken, Spoken]]:
    """Have two sides say the same phonemes in turns, each in a fresh process.

    Raises:
        ChildError: a process failed, or the lengths of their audio differ.
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
        raise ChildError("the audio of both sides differs in length")
    return pairs


def programs_of(name: str) -> Path:
    """Return the folder of programs of a peer's virtual environment.

    Raises:
        ChildError: it is missing.
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
    """Add the sides of ours to a command line; the others are compared with the first one."""
    parser.add_argument(
        "--side",
        dest="sides",
        action="append",
        type=parse_side,
        metavar="LABEL[:SETTING=VALUE,...]",
        help=f"a side of ours, can be repeated; {', '.join(default)} by default",
    )
    parser.set_defaults(default_sides=[parse_side(label) for label in default])


def chosen_sides(options: argparse.Namespace) -> list[Side]:
    """Return the sides of a command line, after loading each once.

    This prepares models before anything is measured.

    Raises:
        ChildError: a side is not available on this machine.
    """
    sides: list[Side] = options.sides or options.default_sides
    for side in sides:
        with speaker(side) as found:
            note(f"{side.label}: {found.identity}")
    return sides
