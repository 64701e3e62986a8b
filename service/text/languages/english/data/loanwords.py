"""Add words to the list of foreign words and names, change or remove them; print all without any.

    python -m service.text.languages.english.data.loanwords [FILE.tsv]

A line is a word and its American phonemes, between them a tab; a word alone is removed. The words
and their phonemes were written for this project.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from service.text.languages.english.data.fetch import HERE
from service.text.vocabulary import load_vocabulary
from service.text.wordlist import pack

FILE = HERE / "loanwords.tsv.gz"


def main(changes: str | None) -> None:
    """Write the list, or print it."""
    lines = gzip.decompress(FILE.read_bytes()).decode()
    if changes is None:
        sys.stdout.write(lines)
        return
    words = _words(lines) | _words(Path(changes).read_text(encoding="utf-8"))
    words = {word: said for word, said in words.items() if said}
    unknown = [word for word, said in words.items() if load_vocabulary().unknown(said)]
    if unknown:
        sys.exit(f"symbols that the model lacks: {', '.join(unknown)}")
    FILE.write_bytes(gzip.compress(pack(words), mtime=0))
    print(len(words), "words")


def _words(lines: str) -> dict[str, str]:
    parted = (line.partition("\t") for line in lines.splitlines() if line)
    return {word: said for word, _, said in parted}


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
