"""The record of a model."""

import json

import pytest

from service import loading
from service.errors import ModelError
from service.model.spec import ModelSpec, included_model
from service.preparation.assembly import FILE_NAME, SHA256
from service.settings import Settings
from service.text import load_vocabulary

CONFIG = {"vocab": {"a": 1, "b": 2, "ㄅ": 19}, "n_token": 20}
RECORD = {"name": "de-anna", "config": "config.json", "file": "model.onnx", "voices": "voices", "voice": "anna"}


def write(folder, record=RECORD, config=CONFIG):
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    path = folder / "model.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def test_the_included_model_is_as_it_was():
    spec = included_model()
    assert (spec.name, spec.file, spec.voices, spec.voice) == ("kokoro", None, None, "af_heart")
    assert (spec.published.name, spec.published.sha256) == (FILE_NAME, SHA256)
    assert set(spec.token_ids) == load_vocabulary().symbols
    assert loading.load_spec(Settings()) is spec


def test_a_record_names_files_beside_it(tmp_path):
    spec = ModelSpec.read(write(tmp_path))
    assert (spec.file, spec.voices) == (tmp_path / "model.onnx", tmp_path / "voices")
    assert spec.token_ids == CONFIG["vocab"]
    toml = tmp_path / "model.toml"
    toml.write_text('name = "de-anna"\nconfig = "config.json"\nfile = "/srv/x.onnx"\n', encoding="utf-8")
    assert str(ModelSpec.read(toml).file) == "/srv/x.onnx"


def test_a_model_is_chosen_by_record_name_or_file(tmp_path):
    folder = tmp_path / "de-anna"
    folder.mkdir()
    record = write(folder)
    for settings in (Settings(model=record), Settings(model="de-anna", models_dir=tmp_path)):
        assert loading.load_spec(settings).name == "de-anna"
        assert loading.usual_voice(settings) == "anna"
        assert loading.added_voices_dir(settings) == folder / "voices"
        assert loading.load_front_end(settings).vocabulary.token_ids("aㄅ") == [1, 19]
    assert loading.usual_voice(Settings(model=record, voice="bertha")) == "bertha"
    alone = loading.load_spec(Settings(model=folder / "model.onnx"))
    assert (alone.name, alone.file, alone.published) == ("kokoro", folder / "model.onnx", None)


@pytest.mark.parametrize(
    ("record", "config", "message"),
    [
        ({**RECORD, "name": "../x"}, CONFIG, "name: "),
        ({**RECORD, "colour": 1}, CONFIG, "colour: "),
        ({**RECORD, "file": None}, CONFIG, "needs either file or published"),
        ({"name": "x"}, CONFIG, "config: "),
        ([], CONFIG, "model.json: : "),
        ({**RECORD, "front_ends": {"de": {"espeak": "../x"}}}, CONFIG, "front_ends.de.espeak: "),
        ({**RECORD, "front_ends": {"de": {"espeak": "gmw/de", "sounds": {"ç": "ab7"}}}}, CONFIG, "no symbol '7'"),
        (RECORD, {}, "has no vocab"),
        (RECORD, {"vocab": {"ab": 1}}, "each symbol is one character"),
        (RECORD, {"vocab": {"a": 178}, "n_token": 178}, "between 1 and 177"),
        (RECORD, {"vocab": {"a": True}}, "has the id True"),
        (RECORD, {"vocab": {"a": 1}, "n_token": "x"}, "n_token"),
    ],
)
def test_a_wrong_record_is_refused_in_one_line(tmp_path, record, config, message):
    with pytest.raises(ModelError) as error:
        ModelSpec.read(write(tmp_path, record, config))
    assert message in error.value.message
    assert "\n" not in error.value.message
    assert str(tmp_path) in error.value.message


def test_a_front_end_of_no_language_is_refused(tmp_path):
    record = write(tmp_path, {**RECORD, "front_ends": {"tlh": {"espeak": "art/tlh"}}})
    with pytest.raises(ModelError, match="front_ends of the model de-anna"):
        loading.load_front_end(Settings(model=record))


def test_a_voice_that_espeak_has_not_is_told_at_once(tmp_path):
    record = write(tmp_path, {**RECORD, "front_ends": {"de": {"espeak": "gmw/nowhere"}}})
    with pytest.raises(ModelError) as error:
        loading.load_front_end(Settings(model=record))
    assert error.value.message == "front_ends.de of the model de-anna: espeak-ng has no voice gmw/nowhere"


def test_files_that_are_no_records_are_refused(tmp_path):
    path = tmp_path / "model.json"
    for content in (b"", b"{", b"[" * 100_000, b"\xff\xfe", b" " * (2 << 20)):
        path.write_bytes(content)
        with pytest.raises(ModelError, match="model"):
            ModelSpec.read(path)
    with pytest.raises(ModelError, match="cannot be read"):
        ModelSpec.read(tmp_path / "absent.toml")
