from pathlib import Path

import pytest
from service.errors import SettingsError
from service.settings import load_settings

from service import settings


def test_flags_beat_variables_beat_the_file_beats_defaults(tmp_path, monkeypatch):
    file = tmp_path / "some.toml"
    file.write_text('port = 1001\nhost = "file"\nvoice = "am_adam"\n')
    monkeypatch.setenv("KOKORO_PORT", "1002")
    monkeypatch.setenv("KOKORO_HOST", "variable")
    settings = load_settings({"port": "1003"}, file)
    assert settings.port == 1003
    assert settings.host == "variable"
    assert settings.voice == "am_adam"
    assert settings.max_text_length == 20_000


def test_the_file_can_be_named_by_a_variable(tmp_path, monkeypatch):
    file = tmp_path / "some.toml"
    file.write_text("port = 1001\n")
    monkeypatch.setenv("KOKORO_CONFIG", str(file))
    assert load_settings().port == 1001


def test_one_load_does_not_remember_the_file_of_another(tmp_path):
    file = tmp_path / "some.toml"
    file.write_text("port = 1001\n")
    assert load_settings(config=file).port == 1001
    assert load_settings().port == 8880


def test_an_unknown_key_of_the_file_is_an_error_that_names_the_nearest(tmp_path):
    file = tmp_path / "some.toml"
    file.write_text('provder = "cpu"\n')
    with pytest.raises(SettingsError, match=r"provder \(did you mean provider\?\)"):
        load_settings(config=file)


def test_an_unknown_variable_is_an_error_that_names_the_nearest(monkeypatch):
    monkeypatch.setenv("KOKORO_PROT", "9000")
    with pytest.raises(SettingsError, match=r"KOKORO_PROT \(did you mean KOKORO_PORT\?\)"):
        load_settings()


SETTINGS_OF_VERSIONS = Path(__file__).parents[1] / "data/settings"


@pytest.mark.parametrize("file", sorted(SETTINGS_OF_VERSIONS.glob("*.txt")), ids=lambda f: f.stem)
def test_every_setting_of_an_older_version_is_understood_or_has_a_new_name(file):
    names = file.read_text(encoding="utf-8").split()
    assert len(names) > 20
    for name in names:
        assert settings.RENAMED.get(name, name) in settings.Settings.model_fields


def test_a_former_name_is_refused_with_the_new_one(tmp_path, monkeypatch):
    monkeypatch.setitem(settings.RENAMED, "listen_port", "port")
    file = tmp_path / "old.toml"
    file.write_text("listen_port = 1\n")
    with pytest.raises(SettingsError, match="the setting listen_port is port now"):
        load_settings(config=file)
    monkeypatch.setenv("KOKORO_LISTEN_PORT", "1")
    with pytest.raises(SettingsError, match="KOKORO_LISTEN_PORT is KOKORO_PORT now"):
        load_settings()


def test_an_empty_variable_is_as_good_as_none(monkeypatch):
    monkeypatch.setenv("KOKORO_MODEL", "")
    assert load_settings().model is None


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ({"port": "many"}, "port"), ({"port": "65536"}, "port"), ({"provider": "gpu"}, "provider"),
        ({"max_text_length": "0"}, "max_text_length"), ({"threads": "-1"}, "threads"),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_named(flags, named):
    with pytest.raises(SettingsError, match=named):
        load_settings(flags)


def test_a_missing_and_a_malformed_file_are_errors(tmp_path):
    with pytest.raises(SettingsError, match="does not exist"):
        load_settings(config=tmp_path / "none.toml")
    file = tmp_path / "bad.toml"
    file.write_text("port = = 1\n")
    with pytest.raises(SettingsError, match=r"bad\.toml"):
        load_settings(config=file)


def test_cuda_options_can_come_from_a_variable(monkeypatch):
    monkeypatch.setenv("KOKORO_CUDA_OPTIONS", '{"use_tf32": true}')
    assert load_settings().cuda_options == {"use_tf32": True}
    monkeypatch.setenv("KOKORO_CUDA_OPTIONS", "nonsense")
    with pytest.raises(SettingsError, match="cuda_options"):
        load_settings()
