"""The command line that measurements share: it prints sections and writes them into RESULTS.md."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.processes import ChildError
from bench.report import circumstances, heading, write_section
from service.settings import ENVIRONMENT_PREFIX

RESULTS = Path(__file__).with_name("RESULTS.md")

KERNELS = ENVIRONMENT_PREFIX + "KERNELS"
"""The variable that has native operators use a lesser instruction set than the fastest."""


@dataclass(frozen=True)
class Section:
    """The result of a measurement, as it stands in RESULTS.md.

    Attributes:
        name: the heading.
        about: what is measured, and how.
        report: the results, in Markdown.
        met: whether every bound is met.
    """

    name: str
    about: str
    report: str
    met: bool = True


def plain_command_line(module: str, doc: str | None) -> argparse.ArgumentParser:
    """Return a parser without options.

    Args:
        module: what follows `python -m`.
        doc: the module's docstring; help shows its first line.
    """
    return argparse.ArgumentParser(
        prog=f"python -m {module}", description=(doc or "").partition("\n")[0]
    )


def command_line(
    module: str, doc: str | None, repeats: str | None = None
) -> argparse.ArgumentParser:
    """Return a parser with the option `--write`, and perhaps `--repeats`.

    Args:
        module: what follows `python -m`.
        doc: the module's docstring; help shows its first line.
        repeats: what `--repeats` counts; None for a command without it.
    """
    parser = plain_command_line(module, doc)
    if repeats:
        parser.add_argument("--repeats", type=positive, help=repeats)
    parser.add_argument(
        "--write", action="store_true", help=f"write the tables into {RESULTS.name}"
    )
    return parser


def add_names(parser: argparse.ArgumentParser, metavar: str, known: Iterable[str]) -> None:
    """Add the names of measurements to a command line, as `names`; all by default."""
    names = list(known)

    def read(text: str) -> str:
        # Not `choices`: argparse checks an empty list of names against them too.
        if text not in names:
            raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(names)}")
        return text

    parser.add_argument(
        "names", nargs="*", type=read, default=names, metavar=metavar,
        help=f"{', '.join(names)}; all by default",
    )  # fmt: skip


def positive(text: str) -> int:
    """Read a number of at least 1 from the command line."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def publish(sections: Iterable[Section], *, write: bool) -> int:
    """Print each section as soon as it is measured, and write it into RESULTS.md if asked to.

    Returns:
        The exit status, see `exit_status`.
    """

    def show() -> bool:
        print(heading(), flush=True)
        met = True
        for section in sections:
            met &= section.met
            print(f"\n{section.report}", flush=True)
            if write:
                body = f"{section.about.strip()}\n\n{circumstances()}\n\n{section.report}"
                write_section(RESULTS, section.name, body)
        return met

    return exit_status(show)


def exit_status(measure: Callable[[], bool]) -> int:
    """Measure; children get none of the caller's settings, and end when this process ends.

    `KOKORO_KERNELS` stays: it says what to measure.

    Returns:
        0 if all bounds are met, 1 if one is missed, 2 if a process failed, 130 after an interrupt.
    """
    for signal_number in (signal.SIGTERM, signal.SIGHUP):  # as for Ctrl-C: end the children first
        signal.signal(signal_number, signal.default_int_handler)
    for name in list(os.environ):
        is_setting = name.startswith(ENVIRONMENT_PREFIX) and name != KERNELS
        if is_setting or name == "PYTHONDONTWRITEBYTECODE":
            del os.environ[name]
    try:
        return 0 if measure() else 1
    except KeyboardInterrupt:
        return 130
    except ChildError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2


def paragraph(doc: str | None, name: str) -> str:
    """Return the paragraph of a docstring that begins with a name and a colon."""
    paragraphs = (doc or "").split("\n\n")
    return next(text for text in paragraphs if text.lower().startswith(f"{name.lower()}:"))
