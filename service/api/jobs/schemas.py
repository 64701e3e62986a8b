"""Bodies, queries and answers of `/jobs`."""

from __future__ import annotations

from datetime import datetime, timezone

from pydantic import BaseModel, ConfigDict, Field

from service.api.job_options import MAX_TITLE_LENGTH, JobFields, JobFormat, JobOptions
from service.api.schemas import NAMED, IgnoredAnswer, StrictModel
from service.jobs import Job, JobState
from service.text import Ignored

MEDIA_TYPES = {
    "m4b": "audio/mp4",
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "epub": "application/epub+zip",
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
    "json": "application/json",
    "ass": "text/x-ssa",
    "words.vtt": "text/vtt",
    "words.srt": "application/x-subrip",
}
"""Of the files of a job, by their endings."""

DOCUMENT_ENDINGS = {
    "application/epub+zip": ".epub",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "application/x-fictionbook+xml": ".fb2",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/x-subrip": ".srt",
    "text/vtt": ".vtt",
    "application/ssml+xml": ".ssml",
}
"""Of documents, by their media types."""


class JobRequest(StrictModel, JobOptions):
    """A text that is to be spoken."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": "CHAPTER I\n\nIt was a dark night.", "title": "A night", "format": "mp3"},
                {"text": "# One\n\nHello.", "markdown": True, "timestamps": "vtt,json"},
                {"text": "<speak>Hello.<break time='1s'/></speak>", "ssml": True},
            ]
        }
    )

    text: str = Field(description="text of any number of chapters", json_schema_extra=NAMED)
    markdown: bool = Field(False, description="the text is Markdown")


class JobQuery(JobFields):
    """What a document in the body becomes."""

    model_config = ConfigDict(extra="forbid")

    normalize: bool = Field(True, description="false to read numbers and signs as they are")
    name: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_TITLE_LENGTH,
        description="of the document's file; its ending says what it is, if the content type does "
        "not",
        examples=["novel.epub"],
    )


class JobErrorAnswer(BaseModel):
    """Why a job failed."""

    code: str
    message: str


class JobAnswer(BaseModel):
    """A job."""

    id: str
    state: JobState = Field(
        description="planning reads the whole text, speaking makes its speech, writing makes files"
    )
    title: str
    format: JobFormat
    characters: int = Field(description="that are spoken")
    dropped: int = Field(
        description="characters that are not said, because no voice reads them or no text has "
        "them; 0 until the job speaks"
    )
    notes: list[str] = Field(
        description="what else listeners should know, such as that a cover could not be used"
    )
    left_out: str = Field(
        description="what of the document is not read, such as `left out: 2 notes, 1 page number`; "
        "empty if all of it is, or until it is read"
    )
    ignored: list[IgnoredAnswer] = Field(
        description="markup of SSML that has no effect, in order; a length that cannot be reached "
        "is told when the job speaks",
    )
    created_at: datetime
    finished_at: datetime | None = Field(description="null until it is done or has failed")
    progress: float = Field(ge=0, le=1, description="share of the speech that is made")
    left_s: float | None = Field(
        description="likely seconds until all is spoken; null if that is unknown"
    )
    duration_s: float | None = Field(
        description="seconds of the audio, foretold until the job is done; null before speaking"
    )
    loudness: float | None = Field(
        description="of the audio in LUFS, less than asked for if its peaks would be distorted; "
        "null before it is written"
    )
    timestamps: list[str] = Field(description="files of times that can be had, by their endings")
    error: JobErrorAnswer | None = Field(description="why it failed; null if it did not")

    @classmethod
    def of(cls, job: Job) -> JobAnswer:
        """Return the answer's form of a job."""
        error = None
        if job.error is not None:
            code, message = job.error
            error = JobErrorAnswer(code=code, message=message)
        return cls(
            id=job.id,
            state=job.state,
            title=job.title,
            format=job.options["format"],
            characters=job.n_characters,
            dropped=job.n_dropped,
            notes=job.notes,
            left_out=job.left_out,
            ignored=[IgnoredAnswer.of(Ignored(**one)) for one in job.ignored],
            created_at=_time(job.created_s),
            finished_at=None if job.finished_s is None else _time(job.finished_s),
            progress=round(job.progress, 4),
            left_s=None if job.left_s is None else round(job.left_s, 1),
            duration_s=None if job.duration_s is None else round(job.duration_s, 3),
            loudness=job.loudness_lufs,
            timestamps=[name.partition(".")[2] for name in job.outputs[1:]],
            error=error,
        )


class JobsAnswer(BaseModel):
    """The caller's jobs, the oldest first."""

    jobs: list[JobAnswer]


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds), timezone.utc)
