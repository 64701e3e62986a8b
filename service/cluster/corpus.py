"""A corpus: a file of utterances, as JSON lines or Apache Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.errors import InvalidRequestError, StartupError
from service.extras import advice
from service.settings import nearest
from service.speech import Utterance

PARQUET = ".parquet"

_MAX_LINE_BYTES = 16 << 20
_MAX_QUOTED = 100
_ROWS_AT_ONCE = 256

INVALID = "invalid_line"
"""Code of a line that is not an utterance."""


@dataclass(frozen=True)
class CorpusLine:
    """An utterance of a corpus.

    Attributes:
        number: of the line or the row, from 1.
        id: of the utterance, unique in the corpus.
        utterance: what to say.
        metadata: what the manifest repeats; None for nothing.
    """

    number: int
    id: str
    utterance: Utterance
    metadata: Any = None


@dataclass(frozen=True)
class BadLine:
    """A line of a corpus that cannot be spoken.

    Attributes:
        number: of the line or the row, from 1.
        id: of the utterance; None if the line does not tell.
        code: for programs: a code of `service.errors`, or `invalid_line`.
        message: for people.
    """

    number: int
    id: str | None
    code: str
    message: str


class _Fields(BaseModel):
    """The fields of a line."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str | int | None = None
    text: str | None = None
    phonemes: str | None = None
    ssml: bool = False
    voice: str | None = None
    speed: float = Field(1.0, allow_inf_nan=False)
    language: str | None = None
    normalize: bool = True
    metadata: Any = None

    def utterance(self) -> Utterance:
        """Return what to say. Raises ValueError for fields that contradict each other."""
        if (self.text is None) == (self.phonemes is None):
            raise ValueError("give text or phonemes, one of them")
        if self.ssml and self.text is None:
            raise ValueError("phonemes cannot be SSML")
        kind: Any = "phonemes" if self.text is None else "ssml" if self.ssml else "text"
        utterance = Utterance(
            self.text or self.phonemes or "",
            kind,
            voice=self.voice,
            speed=self.speed,
            language=self.language,
        )
        return utterance if self.normalize else replace(utterance, normalization=None)


def read_corpus(path: Path) -> Iterator[CorpusLine | BadLine]:
    """Yield the lines of a corpus in order; blank lines are none.

    Args:
        path: of a Parquet file if it ends in `.parquet`, otherwise of JSON lines in UTF-8. A line
            is an object with `text` or `phonemes`, and any of `id` (default: the line's number),
            `voice`, `speed`, `language`, `ssml`, `normalize` as `POST /synthesize` has them, and
            `metadata`, which is anything. A null is as good as no field.

    Raises:
        OSError: the file cannot be read.
        InvalidRequestError: it is not a Parquet file.
        StartupError: it is one, and the extra `parquet` is not installed.
    """
    numbers: dict[str, int] = {}
    rows = _parquet_rows(path) if path.suffix.lower() == PARQUET else _json_rows(path)
    for number, row in rows:
        line = row if isinstance(row, BadLine) else _read_row(number, row)
        if isinstance(line, CorpusLine):
            first = numbers.setdefault(line.id, number)
            if first != number:
                message = f"the id is that of line {first} too; give each line an id of its own"
                line = BadLine(number, line.id, INVALID, message)
        yield line


def _read_row(number: int, row: Any) -> CorpusLine | BadLine:
    if not isinstance(row, dict):
        return BadLine(number, None, INVALID, "a line must be a JSON object")
    given = {name: value for name, value in row.items() if value is not None}
    identity = given.get("id", number)
    known_id = str(identity) if isinstance(identity, (str, int)) else None
    try:
        fields = _Fields.model_validate(given)
        utterance = fields.utterance()
    except ValidationError as error:
        message = "; ".join(_explain(item) for item in error.errors()[:3])
        return BadLine(number, known_id, INVALID, message)
    except ValueError as error:
        return BadLine(number, known_id, INVALID, str(error))
    return CorpusLine(number, str(identity), utterance, fields.metadata)


def _explain(item: Any) -> str:
    name = ".".join(str(part) for part in item["loc"])[:_MAX_QUOTED]
    if item["type"] == "extra_forbidden":
        hint = nearest(name, _Fields.model_fields) or "; put what is yours into metadata"
        return f"unknown field {name}{hint}"
    return f"{name}: {item['msg']}"


def _json_rows(path: Path) -> Iterator[tuple[int, Any]]:
    import json

    with open(path, "rb") as file:
        number = 0
        while line := file.readline(_MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > _MAX_LINE_BYTES:
                while not line.endswith(b"\n") and (line := file.readline(_MAX_LINE_BYTES)):
                    pass
                message = f"the line has more than {_MAX_LINE_BYTES} bytes"
                yield number, BadLine(number, None, INVALID, message)
                continue
            line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not line.strip():
                continue
            try:
                yield number, json.loads(line.decode("utf-8"))
            except UnicodeDecodeError as error:
                yield number, BadLine(number, None, INVALID, f"not UTF-8: {error.reason}")
            except (ValueError, RecursionError) as error:
                reason = error.msg if isinstance(error, json.JSONDecodeError) else "cannot be read"
                yield number, BadLine(number, None, INVALID, f"not JSON: {reason}")


def _parquet_rows(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise StartupError(f"Parquet needs the extra parquet: {advice('parquet')}") from error
    with open(path, "rb") as file:
        try:
            number = 0
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches(_ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
        except pyarrow.ArrowInvalid as error:
            raise InvalidRequestError(f"{path} cannot be read as Parquet: {error}") from error
