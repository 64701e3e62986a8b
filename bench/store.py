"""Folders of results that one model has produced."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bench.report import note


def claim(folder: Path, identity: str) -> bool:
    """Prepare a folder for the results of a model, and delete those of any other model.

    Args:
        folder: made if it is missing.
        identity: everything that decides what the model's results are.

    Returns:
        Whether the folder is new or was emptied.
    """
    claimed = folder / "identity.txt"
    if claimed.exists() and claimed.read_text(encoding="utf-8") == identity:
        return False
    if folder.exists():
        note(f"{folder.name} holds results of another model than {identity}: they are deleted")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    write_text(claimed, identity)
    return True


def write_text(path: Path, text: str) -> None:
    """Write a file; a reader never sees a part of it."""
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
