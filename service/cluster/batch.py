"""Speak a corpus into a folder, and go on where an earlier run ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.cluster.corpus import BadLine, CorpusLine, read_corpus
from service.cluster.corpus_progress import CorpusProgress
from service.cluster.pools import Pool, Task
from service.cluster.sound_identity import SoundIdentity
from service.cluster.speaker import Failure
from service.cluster.speech_folder import SpeechFolder
from service.errors import InvalidRequestError


@dataclass(frozen=True)
class Summary:
    """What became of a corpus.

    Attributes:
        n_lines: of the corpus.
        n_spoken: utterances that this run has spoken.
        n_bad: lines that could not be spoken.
        audio_s: seconds of speech in the manifest.
        errors: the file that tells of the bad lines.
    """

    n_lines: int
    n_spoken: int
    n_bad: int
    audio_s: float
    errors: Path


class Batch:
    """A corpus and the folder that it is spoken into.

    The corpus is read three times, to count, to speak and to list, so that it need not fit into
    memory. Equal utterances have one file.

    Args:
        corpus: the file; see `read_corpus`.
        folder: to speak it into.
        identity: makes the cache keys.

    Raises:
        OSError: the corpus cannot be read.
        InvalidRequestError: there is nothing in it.
    """

    def __init__(self, corpus: Path, folder: SpeechFolder, identity: SoundIdentity) -> None:
        self._corpus = corpus
        self._folder = folder
        self._identity = identity
        self._failures: dict[str, Failure] = {}
        self.n_lines = self.n_kept = self.n_missing = self.n_characters = 0
        seen: set[str] = set()
        for line in read_corpus(corpus):
            self.n_lines += 1
            if isinstance(line, BadLine):
                continue
            key = identity.key(line.utterance)
            if folder.has(key):
                self.n_kept += 1
            elif key not in seen:
                seen.add(key)
                self.n_missing += 1
                self.n_characters += len(line.utterance.text)
        if self.n_lines == 0:
            raise InvalidRequestError(f"{corpus} has no line to speak")

    def speak(self, pool: Pool, progress: CorpusProgress) -> Summary:
        """Speak what is missing, and write the manifest.

        Raises:
            StartupError: nobody can speak; what was spoken until then is kept.
            OSError: a file cannot be written; likewise.
        """
        n_spoken = 0
        with progress, closing(pool.answers(self._tasks())) as answers:
            for answer in answers:
                if isinstance(answer.result, Failure):
                    self._failures[answer.task.key] = answer.result
                    audio_s = 0.0
                else:
                    self._folder.keep(answer.task.key, answer.result)
                    audio_s = answer.result.duration_s
                    n_spoken += 1
                progress.advance(len(answer.task.utterance.text), audio_s)
        return self._write(n_spoken)

    def _tasks(self) -> Iterator[Task]:
        given: set[str] = set()
        for line in self._lines():
            key = self._identity.key(line.utterance)
            if key not in given and not self._folder.has(key):
                given.add(key)
                yield Task(key, line.utterance)

    def _lines(self) -> Iterator[CorpusLine]:
        return (line for line in read_corpus(self._corpus) if isinstance(line, CorpusLine))

    def _write(self, n_spoken: int) -> Summary:
        n_bad, audio_s = 0, 0.0

        def bad_lines() -> Iterator[dict[str, Any]]:
            nonlocal n_bad
            for line in read_corpus(self._corpus):
                if isinstance(line, CorpusLine):
                    failure = self._failures.get(self._identity.key(line.utterance))
                    if failure is None:
                        continue
                    line = BadLine(line.number, line.id, failure.code, failure.message)
                n_bad += 1
                yield {
                    "line": line.number, "id": line.id, "code": line.code, "message": line.message
                }  # fmt: skip

        def entries() -> Iterator[dict[str, Any]]:
            nonlocal audio_s
            for line in self._lines():
                key = self._identity.key(line.utterance)
                if not self._folder.has(key):
                    continue  # it is among the bad lines
                record = self._folder.record(key)
                audio_s += record["duration_s"]
                metadata = {} if line.metadata is None else {"metadata": line.metadata}
                yield {"id": line.id, **record, **metadata}

        errors = self._folder.write_errors(bad_lines())
        self._folder.write_manifest(entries())
        return Summary(self.n_lines, n_spoken, n_bad, audio_s, errors)
