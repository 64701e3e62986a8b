"""The command line that measurements share: what is found becomes sections, shown and written."""

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


@dataclass(frozen=True)
class Section:
    """What a measurement gives, as it stands in RESULTS.md.

    Attributes:
        name: its heading.
        about: what is measured, and how.
        report: what was found, in Markdown.
        met: whether every bound is.
    """

    name: str
    about: str
    report: str
    met: bool = True


def plain_command_line(module: str, doc: str | None) -> argparse.ArgumentParser:
    """Return a parser without options; see `command_line` for the arguments."""
    return argparse.ArgumentParser(
        prog=f"python -m {module}", description=(doc or "").partition("\n")[0]
    )


def command_line(
    module: str, doc: str | None, repeats: str | None = None
) -> argparse.ArgumentParser:
    """Return a parser that knows `--write`.

    Args:
        module: what follows `python -m`.
        doc: the module's text, of which the first line is shown.
        repeats: what `--repeats` counts, where there is that option.
    """
    parser = plain_command_line(module, doc)
    if repeats:
        parser.add_argument("--repeats", type=positive, help=repeats)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {RESULTS.name}")
    return parser


def add_names(parser: argparse.ArgumentParser, metavar: str, known: Iterable[str]) -> None:
    """Let a command line name some of what can be measured, as `names`; all by default."""
    names = list(known)

    def read(text: str) -> str:
        # Not `choices`: argparse holds an empty list of names against them too.
        if text not in names:
            raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(names)}")
        return text

    parser.add_argument(
        "names", nargs="*", type=read, default=names, metavar=metavar,
        help=f"{', '.join(names)}; all by default",
    )  # fmt: skip


def positive(text: str) -> int:
    """Read a number of the command line that is at least 1."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number")
    return int(text)


def publish(sections: Iterable[Section], *, write: bool) -> int:
    """Show each section as soon as it is there, and write it into RESULTS.md if asked to.

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
    """Measure, with no setting of the caller's in children, and no child that outlives this.

    Returns:
        0, or 1 if what was measured is not as it must be, 2 if a process failed, 130 if somebody
        interrupted.
    """
    for signal_number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: end the children first
        signal.signal(signal_number, signal.default_int_handler)
    for name in list(os.environ):
        if name.startswith(ENVIRONMENT_PREFIX) or name == "PYTHONDONTWRITEBYTECODE":
            del os.environ[name]
    try:
        return 0 if measure() else 1
    except KeyboardInterrupt:
        return 130
    except ChildError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2


def paragraph(doc: str | None, name: str) -> str:
    """Return the paragraph of a module's text that begins with a name and a colon."""
    paragraphs = (doc or "").split("\n\n")
    return next(text for text in paragraphs if text.lower().startswith(f"{name.lower()}:"))
