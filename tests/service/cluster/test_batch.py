"""A corpus is spoken whole, once, and the same way whatever happens on the way."""

import hashlib
import json
import os
import signal
from unittest.mock import DEFAULT, Mock

import pytest
import soundfile

from service.cluster.batch import Batch
from service.cluster.corpus_progress import CorpusProgress
from service.cluster.local_pool import LocalPool
from service.cluster.sound_identity import SoundIdentity
from service.cluster.speaker import Failure, Speaker, Speech, SpeechForm
from service.cluster.speech_folder import SpeechFolder
from service.errors import InvalidRequestError, SynthesisError
from service.settings import Settings
from service.speech import Utterance
from tests.service import commands
from tests.service.cluster.corpora import command, folder_of, kill_during, manifest, write_corpus
from tests.small_kokoro import write_small_kokoro


class CountingPool(LocalPool):
    """A pool that notes what it was asked."""

    tasks = ()

    def answers(self, tasks):
        self.tasks = list(tasks)
        yield from super().answers(iter(self.tasks))


def run(corpus, output, synthesizer, form=None):
    form = form or SpeechForm()
    pool = CountingPool(Speaker(synthesizer, form, 2), 2)
    with SpeechFolder(output, form.audio_format) as folder:
        batch = Batch(corpus, folder, SoundIdentity(Settings(), form))
        progress = CorpusProgress(batch.n_missing, batch.n_characters, batch.n_kept)
        return batch.speak(pool, progress), pool.tasks


def test_each_utterance_has_a_file_and_each_line_an_entry(small_synthesizer, tmp_path):
    corpus = write_corpus(
        tmp_path / "c.jsonl",
        {"id": "a", "text": "Good morning."},
        {"id": "b", "text": "Good evening.", "voice": "bf_emma", "metadata": {"page": 7}},
        {"id": "c", "text": "Good morning."},
    )
    summary, tasks = run(corpus, tmp_path / "out", small_synthesizer, SpeechForm(timestamps="word"))
    entries = manifest(tmp_path / "out")
    assert [entry["id"] for entry in entries] == ["a", "b", "c"]
    assert entries[0] | {"id": "c"} == entries[2]
    assert len(tasks) == summary.n_spoken == 2
    assert entries[1]["metadata"] == {"page": 7}
    for entry in entries:
        content = (tmp_path / "out" / entry["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        info = soundfile.info(tmp_path / "out" / entry["file"])
        assert info.frames == round(entry["duration_s"] * 24_000)
        assert entry["words"][0]["text"] == "Good"
        assert 0 <= entry["words"][0]["start_s"] < entry["words"][1]["start_s"]
        assert entry["words"][1]["end_s"] <= entry["duration_s"]
    assert not (tmp_path / "out" / "errors.jsonl").exists()


def test_what_is_kept_is_not_spoken_again_and_what_is_new_is(small_synthesizer, tmp_path):
    lines = [{"id": "a", "text": "One."}, {"id": "b", "text": "Two."}]
    output = tmp_path / "out"
    run(write_corpus(tmp_path / "c", *lines), output, small_synthesizer)
    before = (output / "manifest.jsonl").read_bytes()
    assert run(tmp_path / "c", output, small_synthesizer)[1] == []
    assert (output / "manifest.jsonl").read_bytes() == before
    corpus = write_corpus(tmp_path / "c", {"id": "z", "text": "Three."}, *lines)
    _, tasks = run(corpus, output, small_synthesizer)
    assert [task.utterance.text for task in tasks] == ["Three."]
    assert (output / "manifest.jsonl").read_bytes().endswith(before)


def test_bad_lines_are_told_and_the_others_are_spoken_if_there_are_any(small_synthesizer, tmp_path):
    corpus = write_corpus(
        tmp_path / "c", {"id": "a", "text": "One."}, {"id": "b", "text": "One.", "voice": "af_hart"},
        b"not JSON", {"id": "d", "text": "... --- ..."}, {"id": "e", "text": "Two.", "speed": 9},
        {"id": "f", "text": "Two."},
    )  # fmt: skip
    summary, _ = run(corpus, tmp_path / "out", small_synthesizer)
    assert [entry["id"] for entry in manifest(tmp_path / "out")] == ["a", "f"]
    assert (summary.n_lines, summary.n_spoken, summary.n_bad) == (6, 2, 4)
    told = [json.loads(line) for line in summary.errors.read_text().splitlines()]
    assert [(entry["line"], entry["id"], entry["code"]) for entry in told] == [
        (2, "b", "unknown_voice"), (3, None, "invalid_line"), (4, "d", "nothing_to_say"),
        (5, "e", "invalid_request"),
    ]  # fmt: skip
    assert "did you mean af_heart?" in told[0]["message"]
    with pytest.raises(InvalidRequestError, match="has no line"):
        run(write_corpus(tmp_path / "c"), tmp_path / "out", small_synthesizer)


def test_what_fails_by_no_fault_of_its_text_is_tried_so_often_and_no_more(small_synthesizer, monkeypatch):
    stream, speaker = small_synthesizer.stream, Speaker(small_synthesizer, SpeechForm(), 3)
    stumbling = Mock(wraps=stream, side_effect=[SynthesisError("the model stumbled")] * 2 + [DEFAULT])
    monkeypatch.setattr(small_synthesizer, "stream", stumbling)
    assert isinstance(speaker.say(Utterance("One.")), Speech)
    assert stumbling.call_count == 3
    stumbling = Mock(side_effect=SynthesisError("the model stumbled"))
    monkeypatch.setattr(small_synthesizer, "stream", stumbling)
    assert speaker.say(Utterance("One.")) == Failure("synthesis_failed", "the model stumbled (3 attempts)")
    assert stumbling.call_count == 3


def test_what_changes_the_sound_changes_the_keys_and_threads_do_not(tmp_path):
    model, lexicon = tmp_path / "model.onnx", tmp_path / "lexicon.toml"
    model.write_bytes(b"model")
    lexicon.write_bytes(b"lexicon")
    utterance = Utterance("a")

    def key(form=None, of=utterance, **settings):
        return SoundIdentity(Settings(**settings), form or SpeechForm()).key(of)

    keys = [
        key(), key(voice="bf_emma"), key(model=model), key(lexicon=lexicon),
        key(file_decoding="windows"), key(SpeechForm("flac")), key(SpeechForm("wav", 8000)),
        key(SpeechForm(timestamps="word")), key(of=Utterance("b")),
        key(of=Utterance("a", "phonemes")), key(of=Utterance("a", voice="bf_emma")),
        key(of=Utterance("a", speed=1.1)),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert key(threads=1, workers=3, port=9, max_requests=7) == keys[0]
    before = key(lexicon=lexicon)
    lexicon.write_bytes(b"other")
    assert key(lexicon=lexicon) != before


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "n_kills"), [
    ("small", 1), pytest.param("real", 1, marks=pytest.mark.slow), pytest.param("real", 4, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_run_that_is_killed_goes_on_where_it_ended(model_file, cache_dir, tmp_path, kind, n_kills):
    # What the real model says in a second the small one says in some milliseconds.
    n_lines = 4 + 3 * n_kills if kind == "real" else 150
    lines = [{"id": f"u{i}", "text": f"Number {i}."} for i in range(n_lines)]
    corpus = write_corpus(tmp_path / "c", *lines)
    options = ["--cache-dir", str(cache_dir), "--timestamps", "phoneme"]
    if kind == "small":
        model = write_small_kokoro(tmp_path / "small.onnx")
        options += ["--model", str(model), "--no-prepare"]

    def speak(output, *more):
        done = commands.command("corpus", str(corpus), "-o", str(output), *options, *more)
        assert done.returncode == 0, done.stderr
        return done.stderr

    speak(tmp_path / "whole", "--threads", "1")
    kept = {}
    for _ in range(n_kills):
        kill_during(command(corpus, tmp_path / "out", *options), tmp_path / "out", 2)
        there_are = {path: path.stat().st_ino for path in (tmp_path / "out").glob("audio/*/*.wav")}
        assert kept.items() <= there_are.items()
        kept = there_are
        assert not (tmp_path / "out/manifest.jsonl").exists()
    told = speak(tmp_path / "out", "--workers", "2", "--threads", "2")
    assert f"{len(lines) - len(kept)} utterances now" in told
    assert all(path.stat().st_ino == inode for path, inode in kept.items())
    assert folder_of(tmp_path / "out") == folder_of(tmp_path / "whole")


@pytest.mark.thorough
def test_an_interrupted_run_ends_at_once_and_keeps_what_it_has(tmp_path):
    corpus = write_corpus(tmp_path / "c", *({"text": f"Number {i}."} for i in range(5_000)))
    options = ["--model", str(write_small_kokoro(tmp_path / "small.onnx")), "--no-prepare"]
    status = kill_during(command(corpus, tmp_path / "out", *options), tmp_path / "out", 1, signal.SIGINT)
    assert status == 130


@pytest.mark.parametrize(("arguments", "named"), [
    (["/nowhere.jsonl"], "/nowhere.jsonl"),
    ([os.devnull], "has no line to speak"), ([os.devnull, "--format", "m4a"], "supported: wav"),
    ([os.devnull, "--sample-rate", "7"], "wav has no 7 Hz"),
    ([os.devnull, "--attempts", "0"], "attempts must be at least 1"),
    ([os.devnull, "--cluster", "auto", "--actors", "0"], "actors must be at least 1"),
    ([os.devnull, "--cluster", "auto", "--actor-cpus", "0"], "actor-cpus"),
])  # fmt: skip
def test_mistakes_are_told_in_one_line(tmp_path, arguments, named):
    assert named in commands.complaint("corpus", *arguments, "-o", str(tmp_path / "out"))
