"""A job: what is known of it, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

JobState = Literal["queued", "planning", "speaking", "writing", "done", "failed"]
"""Where a job is. `planning` reads the whole text, `speaking` makes its speech, `writing` makes the
files of it."""

FINISHED: frozenset[JobState] = frozenset({"done", "failed"})


@dataclass
class Job:
    """A document that is, or will be, or was spoken.

    Attributes:
        id: 32 hexadecimal digits that nobody can guess.
        owner: of the job; None where nobody needs a key.
        options: as they were asked for, in JSON.
        document: name of the file of its text in the job's folder.
        title: of the document.
        n_characters: that are spoken.
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

    id: str
    owner: str | None
    options: dict[str, Any]
    document: str
    title: str
    n_characters: int
    created_s: float
    finished_s: float | None = None
    state: JobState = "queued"
    error: tuple[str, str] | None = None
    outputs: list[str] = field(default_factory=list)
    duration_s: float | None = None
    loudness_lufs: float | None = None
    progress: float = 0.0
    left_s: float | None = None

    @property
    def is_finished(self) -> bool:
        """Return whether nothing more happens to it."""
        return self.state in FINISHED
