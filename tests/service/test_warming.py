"""`warm_languages`: G2P that is loaded at start."""

import pytest
from service.errors import LanguageUnavailableError, SettingsError
from service.settings import Settings
from service.text.offset_mapping import TracedText
from service.text.readers import Readers
from tests.opened_models import open_small

from service.text import FrontEnd, Passage, find_language


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


@pytest.mark.parametrize(("settings", "languages"), [
    ({}, ["en-us"]), ({"voice": "ef_dora"}, ["es"]), ({"voice": "bf_emma(2)+ef_dora"}, ["en-gb"]),
    ({"warm_languages": ()}, []), ({"warm_languages": ("fr", "it", "pt")}, ["fr", "it", "pt-br"]),
])  # fmt: skip
def test_languages_are_loaded_before_the_service_is_ready(settings, languages, warmed, tmp_path):
    open_small(tmp_path, threads=1, **settings).close()
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
