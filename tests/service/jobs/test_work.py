"""What is done for a job, with the real model."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.books.audiobook import Order
from service.books.casting import Cast
from service.books.choice import Choice
from service.books.document_reader import DocumentReader, ReadingLimits
from service.books.narration import Manner
from service.books.outputs import Output
from service.errors import SynthesisError
from service.jobs import Job, JobOrder, JobsFolder, perform
from service.settings import Settings
from service.speech import Cancellation, Synthesizer


def test_damaged_speech_is_dropped_and_the_next_try_makes_it_anew(
    synthesizer: Synthesizer, tmp_path: Path
) -> None:
    folder = JobsFolder(tmp_path / "jobs", max_jobs=1, max_bytes=1 << 20, max_age_s=60)
    document = folder.incoming / "received"
    document.write_bytes(b"Hello.")
    job = Job(
        id="0" * 32, owner=None, options={}, document="document.txt", title="A night",
        n_characters=6, created_s=1.0,
    )  # fmt: skip
    folder.add(job, document)
    output = Output(folder.folder_of(job) / "output.flac", "audio", "flac")
    order = JobOrder(
        folder.folder_of(job) / job.document, None, Order(Choice(), Manner(Cast()), output)
    )
    output.state.mkdir()
    (output.state / "speech.sqlite").write_bytes(b"no database" * 1000)

    with (
        Cancellation(is_background=True) as cancellation,
        DocumentReader(ReadingLimits.of(Settings())) as documents,
    ):
        with pytest.raises(SynthesisError, match="try the job again") as failed:
            perform(job, order, documents, synthesizer, cancellation, folder)
        assert str(tmp_path) not in failed.value.message
        outputs = perform(job, order, documents, synthesizer, cancellation, folder)
    assert outputs == ["output.flac"]
    assert output.state.is_dir()  # until it is kept that the job is done
    folder.finish(job, state="done", outputs=outputs)
    assert [path.name for path in folder.folder_of(job).iterdir()] == outputs
    assert folder.n_bytes == output.path.stat().st_size
    folder.close()
