"""How much time and memory G2P takes in each language.

    python -m bench.reading [--repeats 3] [LANGUAGE ...]

The texts are those of tests/data/reading. Prose has no numbers: in English it is agreement.tsv, in
other languages the golden texts written as words, five in a paragraph. "Numbers" are the golden
texts themselves, one by one; they are short, and all need text normalization. Each row is a fresh
process that has imported the front end and started espeak-ng. "Start" is the time for the first
sentence, "memory" the growth of VmRSS over all texts, and "peak" the growth of VmHWM. Every word is
new in the first pass over the prose; later passes are warm. Each value is the median over the
processes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.command import plain_command_line
from bench.processes import ChildError, python
from bench.procfs import mebibytes
from bench.report import heading
from bench.timing import seconds
from service.text import (
    LANGUAGES,
    USUAL,
    Espeak,
    FrontEnd,
    Normalization,
    Passage,
    find_language,
    parse,
    punctuation,
)
from service.text.characters import clean_text
from service.text.espeak.reader import EspeakReader
from service.text.languages.english import spacy_tagger
from service.text.offset_mapping import TracedText

TEXTS = Path(__file__).parents[1] / "tests" / "data" / "reading"
PASSES = 5
FIRST = {"hi": "पहला।", "ja": "一つ目。", "zh": "第一。"}
"""The first sentence, where "One." is not of the language."""

BOUNDED = "en-us"
BOUNDS = {"start_s": 0.5, "memory": 60.0, "warm_ms": 3.0}
"""Bounds for American English."""

Read = Callable[[str], str]
"""Returns the phonemes of a text."""


class Measured(NamedTuple):
    """Measurements of one process: seconds, MiB, and milliseconds for 100 characters."""

    start_s: float
    memory: float
    peak: float
    first_ms: float
    warm_ms: float
    numbers_ms: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 if American English misses a bound, 2 for a failure."""
    parser = plain_command_line("bench.reading", __doc__)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--espeak", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(json.dumps(measure(options.languages[0], by_espeak=options.espeak)))
        return 0
    try:
        return 0 if _is_quick(options.languages or LANGUAGES, options.repeats) else 1
    except ChildError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2


def _is_quick(languages: Iterable[str], repeats: int) -> bool:
    """Print the table; return whether American English meets its bounds."""
    print(f"{heading()}\n")
    if spacy_tagger.is_installed():
        print("English is tagged by spaCy.\n")
    print(
        "| language | start | memory | peak | 100 characters of prose, first | warm | of numbers |"
    )
    print("|---|---|---|---|---|---|---|")
    rows = [(language, False) for language in languages] + [(BOUNDED, True)]
    met = True
    for language, by_espeak in rows:
        found = [_ask(language, by_espeak=by_espeak) for _ in range(repeats)]
        value = Measured(*(median(column) for column in zip(*found, strict=True)))
        print(
            f"| {language}{', espeak-ng alone' * by_espeak} | {value.start_s:.2f} s "
            f"| {value.memory:.1f} MiB | {value.peak:.1f} MiB | {value.first_ms:.2f} ms "
            f"| {value.warm_ms:.2f} ms | {value.numbers_ms:.2f} ms |",
            flush=True,
        )
        if language == BOUNDED:
            met &= all(getattr(value, name) <= bound for name, bound in BOUNDS.items())
    return met


def measure(language: str, *, by_espeak: bool) -> Measured:
    """Measure in this process, which has run no G2P yet."""
    prose, numbers = prose_of(language), numbers_of(language)
    espeak = Espeak()
    espeak.phonemize("ready", "gmw/en-US")
    memory, peak = mebibytes("VmRSS"), mebibytes("VmHWM")
    read = (espeak_reader if by_espeak else front_end_reader)(espeak, language)
    start_s = seconds(lambda: read(FIRST.get(language, "One.")))
    first_ms, *warm_ms = [_per_100_ms(read, prose) for _ in range(PASSES)]
    numbers_ms = [_per_100_ms(read, numbers) for _ in range(PASSES)]
    return Measured(
        start_s,
        mebibytes("VmRSS") - memory,
        mebibytes("VmHWM") - peak,
        first_ms,
        median(warm_ms),
        median(numbers_ms),
    )


def front_end_reader(
    espeak: Espeak, language: str, normalization: Normalization | None = USUAL
) -> Read:
    """Return a function that returns the phonemes of a text as the service does."""
    front_end = FrontEnd(espeak)

    def read(text: str) -> str:
        said = [
            reading.phonemes
            for part in parse(text)
            if isinstance(part, Passage)
            for reading in front_end.read(part, language, normalization=normalization)
        ]
        return " ".join(said)

    return read


def espeak_reader(espeak: Espeak, language: str) -> Read:
    """Return a function that returns the phonemes of a text by espeak-ng alone."""
    reader = EspeakReader(lambda: espeak, find_language(language))

    def read(text: str) -> str:
        spans = punctuation.split(clean_text(TracedText(text)))
        return "".join(punctuation.space([said.phonemes for said in reader.read(spans)], spans))

    return read


def prose_of(language: str) -> list[str]:
    """Return paragraphs of a language."""
    sentences = sentences_of(language)
    return [" ".join(sentences[start : start + 5]) for start in range(0, len(sentences), 5)]


def sentences_of(language: str) -> list[str]:
    """Return sentences of a language without numbers."""
    rows = _rows("agreement.tsv")
    sentences = [row[1] for row in rows if row[0].startswith(f"{language}/")]
    return sentences or [row[2] for row in _rows(f"{language}.tsv")]


def numbers_of(language: str) -> list[str]:
    """Return texts of a language with numbers, dates and abbreviations."""
    return [row[1] for row in _rows(f"{language}.tsv")]


def _rows(name: str) -> list[list[str]]:
    lines = (TEXTS / name).read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n").split("\t") for line in lines if line and line[0] != "#"]


def _ask(language: str, *, by_espeak: bool) -> Measured:
    options = ["--espeak"] if by_espeak else []
    with python("-m", "bench.reading", "--child", *options, language) as process:
        out, _ = process.communicate()
    if process.returncode:
        raise ChildError(f"the process for {language!r} failed")
    return Measured(*json.loads(out))


def _per_100_ms(read: Read, texts: Sequence[str]) -> float:
    """Return the milliseconds for 100 characters."""
    return seconds(lambda: [read(text) for text in texts]) / sum(map(len, texts)) * 1e5


if __name__ == "__main__":
    sys.exit(main())
