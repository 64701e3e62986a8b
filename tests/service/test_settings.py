from pathlib import Path

import pytest

from service import settings
from service.errors import LanguageUnavailableError, SettingsError
from service.settings import Settings, load_settings
from service.text import FrontEnd, Passage, find_language
from service.text.offset_mapping import TracedText
from service.text.readers import Readers
from tests.opened_models import open_small


@pytest.fixture
def file(tmp_path):
    """Return a configuration file that sets a port, a host and a voice."""
    path = tmp_path / "some.toml"
    path.write_text('port = 1001\nhost = "file"\nvoice = "am_adam"\n')
    return path


def test_flags_beat_variables_beat_the_file_beats_defaults(file, monkeypatch):
    monkeypatch.setenv("KOKORO_PORT", "1002")
    monkeypatch.setenv("KOKORO_HOST", "variable")
    found = load_settings({"port": "1003"}, file)
    assert (found.port, found.host, found.voice, found.max_text_length) == (1003, "variable", "am_adam", 20_000)


def test_the_file_can_be_named_by_a_variable_and_is_not_remembered(file, monkeypatch):
    assert load_settings(config=file).port == 1001
    assert load_settings().port == 8880
    monkeypatch.setenv("KOKORO_CONFIG", str(file))
    assert load_settings().port == 1001


def test_an_unknown_name_is_an_error_that_names_the_nearest(file, monkeypatch):
    file.write_text('provder = "cpu"\n')
    with pytest.raises(SettingsError, match=r"provder \(did you mean provider\?\)"):
        load_settings(config=file)
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


def test_a_former_name_is_refused_with_the_new_one(file, monkeypatch):
    monkeypatch.setitem(settings.RENAMED, "listen_port", "port")
    file.write_text("listen_port = 1\n")
    with pytest.raises(SettingsError, match="the setting listen_port is port now"):
        load_settings(config=file)
    monkeypatch.setenv("KOKORO_LISTEN_PORT", "1")
    with pytest.raises(SettingsError, match="KOKORO_LISTEN_PORT is KOKORO_PORT now"):
        load_settings()


def test_a_variable_may_be_empty_or_hold_options(monkeypatch):
    monkeypatch.setenv("KOKORO_MODEL", "")
    assert load_settings().model is None
    monkeypatch.setenv("KOKORO_CUDA_OPTIONS", '{"use_tf32": true}')
    assert load_settings().cuda_options == {"use_tf32": True}
    monkeypatch.setenv("KOKORO_CUDA_OPTIONS", "nonsense")
    with pytest.raises(SettingsError, match="cuda_options"):
        load_settings()


def test_a_value_out_of_range_is_named(file):
    for name, value in (
        ("port", "many"), ("port", "65536"), ("provider", "gpu"), ("max_text_length", "0"), ("threads", "-1"),
    ):  # fmt: skip
        with pytest.raises(SettingsError, match=name):
            load_settings({name: value})
    for path, told in ((file.with_name("none.toml"), "does not exist"), (file, r"some\.toml")):
        file.write_text("port = = 1\n")
        with pytest.raises(SettingsError, match=told):
            load_settings(config=path)


# `warm_languages`: G2P that is loaded at start.


@pytest.fixture
def warmed(monkeypatch):
    """Return the languages that are loaded, as they come."""
    languages = []
    warm_up = FrontEnd.warm_up

    def noting(front_end, language):
        warm_up(front_end, language)
        languages.append(language)

    monkeypatch.setattr(FrontEnd, "warm_up", noting)
    return languages


@pytest.mark.parametrize(("chosen", "languages"), [
    ({}, ["en-us"]), ({"voice": "ef_dora"}, ["es"]), ({"voice": "bf_emma(2)+ef_dora"}, ["en-gb"]),
    ({"warm_languages": ()}, []), ({"warm_languages": ("fr", "it", "pt")}, ["fr", "it", "pt-br"]),
])  # fmt: skip
def test_languages_are_loaded_before_the_service_is_ready(chosen, languages, warmed, tmp_path):
    open_small(tmp_path, threads=1, **chosen).close()
    assert warmed == languages


def test_a_language_that_nothing_reads_stops_the_start(tmp_path):
    with pytest.raises(SettingsError, match=r"warm_languages: .*xx"):
        open_small(tmp_path, warm_languages=("en-us", "xx"))


@pytest.mark.parametrize(
    "language", ["en-us", "hi", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("es", "ja", "zh"))]
)
def test_the_first_text_finds_everything_loaded(language, monkeypatch):
    front_end = FrontEnd()
    try:
        front_end.warm_up(language)
    except LanguageUnavailableError as error:
        pytest.skip(str(error))

    def refuse(*_):
        raise AssertionError(f"{find_language(language).name} is loaded once more")

    monkeypatch.setattr(Readers, "_make", refuse)
    assert list(front_end.read(Passage(TracedText("3.")), language))


def test_a_list_is_written_with_commas_outside_of_files(monkeypatch):
    monkeypatch.setenv("KOKORO_WARM_LANGUAGES", "es, zh")
    assert Settings().warm_languages == ("es", "zh")
