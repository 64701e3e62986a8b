"""Whether documents that others made are read, and all of their text is accounted for.

    python -m bench.documents FOLDER

Reads every document below a folder, each in this process, and prints a row for each folder in it:
how many are read, how many are refused and why, and the characters that are neither read nor left
out (`service.books.ledger`), which must be none.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from service.books.book_files import ENDINGS, ending_of, read
from service.books.document_budget import Document
from service.books.ledger import Ledger
from service.errors import InvalidBookError

_KINDS = frozenset(ENDINGS) - {".txt", ".md", ".markdown", ".html", ".htm", ".xhtml"}
"""Endings of documents that are nothing else; packages have many pages and notes."""

_REASONS = {"password": "password", "OCR": "no text", "damaged": "damaged", "no text": "no text"}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print("| package | documents | characters | refused | unaccounted | s |")
    print("|---|---|---|---|---|---|")
    for package in sorted(path for path in folder.iterdir() if path.is_dir()):
        found = [path for path in sorted(package.rglob("*")) if _is_document(path)]
        if found:
            print(f"| {package.name} | {_row(found)} |")


def _is_document(path: Path) -> bool:
    ending = ending_of(path.name)
    return ending in _KINDS and (path.is_file() or (ending == ".epub" and path.is_dir()))


def _row(paths: list[Path]) -> str:
    kinds = Counter(ending_of(path.name).removeprefix(".") for path in paths)
    refused: Counter[str] = Counter()
    n_characters = n_unaccounted = 0
    start_s = time.process_time()
    for path in paths:
        ledger = Ledger()
        try:
            book = read(Document(path, path.name, ledger))
        except InvalidBookError as error:
            reason = next((why for word, why in _REASONS.items() if word in str(error)), str(error))
            refused[reason] += 1
            continue
        n_characters += sum(chapter.n_characters for chapter in book.chapters)
        n_unaccounted += abs(ledger.unaccounted)
    taken_s = time.process_time() - start_s
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    why = ", ".join(f"{count} {reason}" for reason, count in refused.most_common()) or "-"
    return f"{listed} | {n_characters:,} | {why} | {n_unaccounted} | {taken_s:.1f}"


if __name__ == "__main__":
    main()
