"""What is done for a job."""

import json

import pytest

from service.books.audiobook import Order
from service.books.casting import Cast
from service.books.choice import Choice
from service.books.document_reader import DocumentReader
from service.books.narration import Manner
from service.books.ongoing_reading import ReadingLimits
from service.books.outputs import Output
from service.errors import CancelledError, SynthesisError
from service.jobs import Job, JobOrder, JobsFolder, perform
from service.settings import Settings
from service.speech import Cancellation


def added(folder, text, name="document.txt", **options):
    """Add a job that speaks a text; return it with what it is to do."""
    document = folder.incoming / "received"
    document.write_bytes(text.encode())
    job = Job(
        id="0" * 32, owner=None, options={}, document=name, title="A night",
        n_characters=len(text), created_s=1.0,
    )  # fmt: skip
    folder.add(job, document)
    output = Output(folder.folder_of(job) / "output.flac", "audio", "flac")
    order = Order(Choice(), Manner(Cast()), output, **options)
    return job, JobOrder(folder.folder_of(job) / job.document, None, order)


class _Interrupted(JobsFolder):
    """Ends the work of a job after its first chunk."""

    def check_room(self, job):
        raise CancelledError("the process ends")


def test_a_job_that_goes_on_tells_what_the_process_before_left_out(small_synthesizer, tmp_path):
    """While it is worked on, nothing of that is in its record."""
    limits = {"max_jobs": 1, "max_bytes": 1 << 20, "max_age_s": 60}
    folder = _Interrupted(tmp_path / "jobs", **limits)
    job, order = added(folder, "Hello \uf0b7 there \ue000\ue001.")
    with DocumentReader(ReadingLimits.of(Settings())) as documents:
        with Cancellation(is_background=True) as cancellation, pytest.raises(CancelledError, match="the process ends"):
            perform(job, order, documents, small_synthesizer, cancellation, folder)
        assert job.n_dropped == 3
        folder.close()
        folder = JobsFolder(tmp_path / "jobs", **limits)
        (again,) = folder.jobs()
        with Cancellation(is_background=True) as cancellation:
            outputs = perform(again, order, documents, small_synthesizer, cancellation, folder)
    folder.finish(again, state="done", outputs=outputs)
    assert again.n_dropped == 3
    folder.close()


def test_damaged_speech_is_dropped_and_the_next_try_makes_it_anew(small_synthesizer, tmp_path):
    folder = JobsFolder(tmp_path / "jobs", max_jobs=1, max_bytes=1 << 20, max_age_s=60)
    job, order = added(folder, "Hello.")
    output = order.order.output
    output.state.mkdir()
    (output.state / "speech.sqlite").write_bytes(b"no database" * 1000)
    with Cancellation(is_background=True) as cancellation, DocumentReader(ReadingLimits.of(Settings())) as documents:
        with pytest.raises(SynthesisError, match="try the job again") as failed:
            perform(job, order, documents, small_synthesizer, cancellation, folder)
        assert str(tmp_path) not in failed.value.message
        outputs = perform(job, order, documents, small_synthesizer, cancellation, folder)
    assert outputs == ["output.flac"]
    assert output.state.is_dir()  # until it is kept that the job is done
    folder.finish(job, state="done", outputs=outputs)
    assert [path.name for path in folder.folder_of(job).iterdir()] == outputs
    assert folder.n_bytes == output.path.stat().st_size
    folder.close()


DOCUMENT = """<speak><mark name='start'/>Hello. <voice name='bf_emma'>Good
<prosody volume='loud' contour='x'>day</prosody>.</voice> <break time='2s'/><s>One <mark name='middle'/>two.</s>
<audio src='a'><desc>a bell</desc>Ding.</audio>
<seq><media repeatCount='2'><speak>Dong.</speak></media></seq><mark name='end'/></speak>"""


def test_a_document_in_ssml_is_said_as_it_says_and_tells_what_it_cannot(small_synthesizer, tmp_path):
    folder = JobsFolder(tmp_path / "jobs", max_jobs=1, max_bytes=1 << 22, max_age_s=60)
    forms = ("json", "vtt", "words.srt", "ass")
    job, order = added(folder, DOCUMENT, "document.ssml", timestamps=forms)
    with Cancellation(is_background=True) as cancellation, DocumentReader(ReadingLimits.of(Settings())) as documents:
        outputs = perform(job, order, documents, small_synthesizer, cancellation, folder)
    folder.finish(job, state="done", outputs=outputs)
    folder.close()
    folder = JobsFolder(tmp_path / "jobs", max_jobs=1, max_bytes=1 << 22, max_age_s=60)
    (again,) = folder.jobs()
    folder.close()
    for one in (job, again):
        assert [(told["element"], told["attribute"], told["line"]) for told in one.ignored] == [
            ("prosody", "contour", 2), ("audio", "", 3)
        ]  # fmt: skip
    (chapter,) = json.loads((folder.folder_of(job) / "output.json").read_text())["chapters"]
    assert chapter["text"] == "Hello. Good day.\n\nOne two.\n\nDing. Dong. Dong."
    assert [word["text"] for word in chapter["words"]] == ["Hello", "Good", "day", "One", "two", "Ding", "Dong", "Dong"]
    marks = {mark["name"]: mark["time_s"] for mark in chapter["marks"]}
    starts = {word["text"]: word["start_s"] for word in chapter["words"]}
    assert list(marks) == ["start", "middle", "end"]
    assert marks["middle"] == pytest.approx(starts["two"], abs=0.026)
    assert starts["One"] - chapter["words"][2]["end_s"] >= 2
    assert marks["end"] > chapter["words"][-1]["start_s"]
