"""Write the completions and the man page of the command line into share/.

    python -m distributions.shell

They are made of the parser of `service.__main__`, so a test holds them against it. Needs shtab and
argparse-manpage, which only development installs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import shtab
from build_manpages.manpage import Manpage

from service.__main__ import parser

SHARE = Path(__file__).resolve().parents[1] / "share"
SHELLS = ("bash", "zsh", "fish")


def main() -> None:
    """Write the files."""
    SHARE.mkdir(exist_ok=True)
    for name, content in contents().items():
        (SHARE / name).write_text(content, encoding="utf-8")


def contents() -> dict[str, str]:
    """Return the files by name."""
    made = parser()
    for action in _actions(made):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    files = {f"kokoro-service.{shell}": shtab.complete(made, shell) for shell in SHELLS}
    files["kokoro-service.1"] = man_page(parser())
    return files


def man_page(made: argparse.ArgumentParser) -> str:
    """Return the man page; it has no date, so that it changes only with the parser."""
    made.man_short_description = str(made.description)  # type: ignore[attr-defined]
    page = Manpage(made)
    page.date = ""
    return str(page)


def _actions(made: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in made._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for subparser in action.choices.values():
                yield from _actions(subparser)


if __name__ == "__main__":
    main()
