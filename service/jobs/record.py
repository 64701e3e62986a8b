"""A job: what is known of it, and how far it is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

JobState = Literal["queued", "planning", "speaking", "writing", "done", "failed"]
"""Where a job is. `planning` reads the whole text, `speaking` makes its speech, `writing` makes the
files of it."""

FINISHED: frozenset[JobState] = frozenset({"done", "failed"})

_NOT_KEPT = ("progress", "left_s")
"""What a job is told anew when it goes on."""

_REMARKS = ("n_dropped", "notes", "left_out", "ignored")
"""What is kept apart: the version before knows no such fields, and fails at them."""

_Id = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
_FileName = Annotated[str, Field(pattern=r"^\w[^/\x00]*$")]
_UnixTime = Annotated[float, Field(ge=0, le=253_402_300_799)]  # the year 9999


@dataclass
class Job:
    """A document that is, or will be, or was spoken.

    Attributes:
        id: 32 hexadecimal digits that nobody can guess.
        owner: of the job; None where nobody needs a key.
        options: as they were asked for, in JSON.
        document: name of the file of its text in the job's folder.
        title: of the document.
        n_characters: of what is read of it.
        n_dropped: characters of the document that are not said; 0 until it is planned.
        notes: what else listeners should know, such as that a cover could not be used.
        left_out: what of the document is not read, for people; empty if all of it is.
        ignored: markup of SSML that has no effect, or not the one that it asks for, in JSON.
        created_s: when it came, in seconds of Unix time.
        finished_s: when it was done or failed; None before.
        state: where it is. One that is interrupted is queued again.
        error: code and message of what went wrong; None if nothing did.
        outputs: names of its files in the job's folder; the first is the audio.
        duration_s: of the audio: likely while it is made, exact when it is done; None before.
        loudness_lufs: of the audio; None before it is written.
        progress: share of the speech that is made, 0 to 1.
        left_s: likely seconds until all is spoken; None if that is unknown.
    """

    id: _Id
    owner: str | None
    options: dict[str, Any]
    document: _FileName
    title: str
    n_characters: int
    created_s: _UnixTime
    finished_s: _UnixTime | None = None
    state: JobState = "queued"
    error: tuple[str, str] | None = None
    outputs: list[_FileName] = field(default_factory=list)
    duration_s: float | None = None
    loudness_lufs: float | None = None
    n_dropped: int = 0
    notes: list[str] = field(default_factory=list)
    left_out: str = ""
    ignored: list[dict[str, Any]] = field(default_factory=list)
    progress: float = 0.0
    left_s: float | None = None

    @property
    def is_finished(self) -> bool:
        """Return whether nothing more happens to it."""
        return self.state in FINISHED

    @property
    def record(self) -> str:
        """Return what is kept of it, in JSON."""
        left_out = {*_NOT_KEPT, *_REMARKS}
        return json.dumps({name: v for name, v in asdict(self).items() if name not in left_out})

    @property
    def remarks(self) -> str:
        """Return what is kept beside the record, in JSON."""
        return json.dumps({name: getattr(self, name) for name in _REMARKS})

    @classmethod
    def of(cls, record: bytes, remarks: bytes = b"{}") -> Job:
        """Return a job from its record and its remarks; one that was interrupted is queued again.

        Fields that another version has added are ignored.

        Raises:
            ValueError: the record is damaged, or another version means something else by it.
        """
        job: Job = _JOB.validate_json(record)
        told = _TOLD.validate_json(remarks)
        for name in _REMARKS:
            setattr(job, name, getattr(told, name))
        if job.is_finished and (
            job.finished_s is None or (job.state == "done") != bool(job.outputs)
        ):
            raise ValueError("the record contradicts itself")
        job.left_s = None
        job.progress = 1.0 if job.state == "done" else 0.0
        if not job.is_finished:
            job.state = "queued"
        return job


@dataclass
class _Remarks:
    n_dropped: int = 0
    notes: list[str] = field(default_factory=list)
    left_out: str = ""
    ignored: list[dict[str, Any]] = field(default_factory=list)


_JOB = TypeAdapter(Job)
_TOLD = TypeAdapter(_Remarks)
