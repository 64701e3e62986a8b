import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from service.speech.chunking import MAX_CHUNK_LENGTH, MIN_CHUNK_LENGTH

from bench import pace
from service.text import Espeak


@pytest.fixture
def manifest(tmp_path, repository, monkeypatch):
    """A copy of the manifest, by which everybody speaks as in `quickness` is asked for."""
    copy = tmp_path / "manifest.json"
    copy.write_bytes((repository / "voices/manifest.json").read_bytes())
    monkeypatch.setattr(pace, "MANIFEST", copy)
    monkeypatch.setattr(pace, "_chunks", lambda espeak, language: ["a" * 100, "b" * 60])
    return copy


def speak(monkeypatch, manifest, quickness):
    """Have every voice speak so many times as quickly as the manifest says."""
    told = json.loads(manifest.read_text())

    class Speaker:
        def say(self, phonemes, voice):
            return SimpleNamespace(audio_s=len(phonemes) / (told[voice]["pace"] * quickness))

    @contextmanager
    def speaker(side):
        yield Speaker()

    monkeypatch.setattr(pace, "speaker", speaker)


@pytest.mark.parametrize(("quickness", "status"), [(1.0, 0), (0.97, 0), (1.1, 1), (0.9, 1)])
def test_a_manifest_that_is_off_is_noticed(monkeypatch, capsys, manifest, quickness, status):
    before = manifest.read_bytes()
    speak(monkeypatch, manifest, quickness)
    assert pace.main([]) == status
    assert ("(off)" in capsys.readouterr().out) == (status == 1)
    assert manifest.read_bytes() == before


def test_write_puts_the_paces_right_and_leaves_the_rest(monkeypatch, manifest):
    before = json.loads(manifest.read_text())
    speak(monkeypatch, manifest, 1.2)
    assert pace.main(["--write"]) == 0
    after = json.loads(manifest.read_text())
    for name, entry in before.items():
        assert after[name].pop("pace") == pytest.approx(entry.pop("pace") * 1.2, abs=0.06)
    assert after == before


def test_chunks_are_such_as_long_texts_are_cut_into():
    espeak = Espeak()
    for language in ("en-us", "es"):
        chunks = pace._chunks(espeak, language)
        assert len(chunks) == pace.N_CHUNKS
        assert all(MIN_CHUNK_LENGTH <= len(chunk) <= MAX_CHUNK_LENGTH for chunk in chunks)
