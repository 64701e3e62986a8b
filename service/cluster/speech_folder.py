"""The folder that a corpus is spoken into: audio, journal, manifest, and the bad lines.

    audio/3f/3fa9...wav   a file for each utterance, named by its cache key
    journal.jsonl         what is known of each file, in the order in which they were made
    manifest.jsonl        the whole corpus in its own order, written when all is done
    errors.jsonl          lines that could not be spoken; only if there are any

An utterance is kept from the moment its file has its name. Its line of the journal is written
before, so whatever ends the process in between, the file of a known length is there or it is not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from service.cluster.speaker import Speech
from service.complete_files import completed, write_whole
from service.errors import StartupError
from service.folder_lock import lock_folder

MANIFEST = "manifest.jsonl"
ERRORS = "errors.jsonl"
JOURNAL = "journal.jsonl"


class SpeechFolder:
    """The folder of a corpus; a context manager. One process writes into it at a time.

    Args:
        path: of the folder, which is made if it is missing.
        ending: of the audio files, such as `wav`.

    Raises:
        StartupError: another process writes into it.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, ending: str) -> None:
        self.path = path
        self._ending = ending
        self._audio = path / "audio"
        self._audio.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = lock_folder(path)
        except BlockingIOError as error:
            raise StartupError(f"{path}: another corpus is being spoken into it now") from error
        for partial in self._audio.glob("*/.*"):  # of a process that was killed
            partial.unlink()
        self._records: dict[str, dict[str, Any]] = {}
        self._journal = open(path / JOURNAL, "a+b")  # noqa: SIM115
        self._read_journal()

    def __enter__(self) -> SpeechFolder:
        """Return the folder."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Let others write into it."""
        self.close()

    def close(self) -> None:
        """Let others write into it. May be called again."""
        self._journal.close()
        self._lock.close()

    def _read_journal(self) -> None:
        self._journal.seek(0)
        end = 0
        for line in self._journal:
            if not line.endswith(b"\n"):
                break  # its writer was killed
            end += len(line)
            record = json.loads(line)
            self._records[record.pop("key")] = record
        self._journal.truncate(end)
        for key in [key for key, record in self._records.items() if not self._is_there(record)]:
            del self._records[key]

    def _is_there(self, record: dict[str, Any]) -> bool:
        try:
            return bool((self.path / record["file"]).stat().st_size == record["size_bytes"])
        except FileNotFoundError:
            return False

    def has(self, key: str) -> bool:
        """Tell whether the utterance of a cache key is kept."""
        return key in self._records

    def record(self, key: str) -> dict[str, Any]:
        """Return what is known of a file: `file`, `sha256`, `size_bytes`, `duration_s`, `words`."""
        return self._records[key]

    def keep(self, key: str, speech: Speech) -> None:
        """Keep an utterance. Raises OSError; then nothing is kept."""
        place = self._audio / key[:2] / f"{key}.{self._ending}"
        record: dict[str, Any] = {
            "file": str(place.relative_to(self.path)),
            "sha256": hashlib.sha256(speech.audio).hexdigest(),
            "size_bytes": len(speech.audio),
            "duration_s": speech.duration_s,
        }
        if speech.words is not None:
            record["words"] = speech.words
        self._journal.write(_line({"key": key, **record}))
        self._journal.flush()
        place.parent.mkdir(exist_ok=True)
        write_whole(place, speech.audio)
        self._records[key] = record

    def write_manifest(self, entries: Iterable[dict[str, Any]]) -> None:
        """Write the manifest, a line for each entry."""
        self._write(MANIFEST, entries)

    def write_errors(self, entries: Iterable[dict[str, Any]]) -> Path:
        """Write the file of bad lines; return its path. Without entries it is removed."""
        self._write(ERRORS, entries)
        path = self.path / ERRORS
        if path.stat().st_size == 0:
            path.unlink()
        return path

    def _write(self, name: str, entries: Iterable[dict[str, Any]]) -> None:
        with completed(self.path / name) as partial, partial.open("wb") as file:
            file.writelines(map(_line, entries))


def _line(entry: dict[str, Any]) -> bytes:
    return (json.dumps(entry, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
