import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.errors import LanguageUnavailableError
from service.extras import advice
from service.text import LANGUAGES, Espeak, FrontEnd, Passage, TracedText
from service.text.languages.english.reader import EnglishReader
from service.text.readers import EspeakSounds, Readers


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_reader_is_created_once(espeak, code):
    readers = Readers(espeak)
    if not readers.is_available(code):
        pytest.skip(readers.requirement(code))
    assert readers.get(code) is readers.get(code)


@pytest.mark.parametrize("code", ["ja", "zh"])
def test_a_missing_extra_is_named(monkeypatch, code):
    readers = Readers()
    monkeypatch.setattr(readers, "is_available", lambda code: False)
    expected = re.escape(advice(code))
    for ask in (readers.require, readers.get):
        with pytest.raises(LanguageUnavailableError, match=expected):
            ask(code)


def test_english_is_read_by_its_lexicon_on_every_python(espeak):
    readers = Readers(espeak)
    for code in ("en-us", "en-gb"):
        assert LANGUAGES[code].g2p == "lexicon"
        assert isinstance(readers.get(code), EnglishReader)
    assert {language.g2p for language in LANGUAGES.values()} == {"lexicon", "pyopenjtalk", "pypinyin", "espeak-ng"}


def test_availability_is_known_without_loading_anything():
    readers = Readers()
    assert all(readers.is_available(code) for code in ("en-us", "en-gb", "es", "fr", "it", "hi"))
    assert not readers.is_available("tlh")


class _SlowToLoad(Readers):
    """Loads some languages only when it may, and counts."""

    slow = ("ja", "zh", "es")

    def start(self):
        self.may_load = threading.Event()
        self.is_loading = threading.Event()
        self.loads = []

    def _make(self, language):
        if language.code in self.slow:
            self.loads.append(language.code)
            self.is_loading.set()
            assert self.may_load.wait(60)
        return super()._make(language)


def _words(front_end, text, language):
    readings = front_end.read(Passage(TracedText(text)), language)
    return " ".join(reading.phonemes for reading in readings)


@pytest.fixture
def slow(espeak):
    front_end = FrontEnd(espeak)
    readers = _SlowToLoad(espeak, loading=front_end._turn.given_away)
    readers.start()
    front_end.readers = readers
    yield front_end, readers
    readers.may_load.set()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "猫です。"),
        ("zh", "你好。"),
        ("es", "Hola."),
        ("fr", "Le mot 東京 (とうきょう)."),  # found to be Japanese while it is read
        ("en-us", "Say 你好 now."),
    ],
)
def test_a_language_that_loads_holds_up_no_other(slow, language, text):
    front_end, readers = slow
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(_words, front_end, text, language) for _ in range(2)]
        try:
            assert readers.is_loading.wait(60)
            assert _words(front_end, "Good day.", "en-us") == "ɡˈʊd dˈA."
            assert _words(front_end, "Bom dia!", "pt-br")
            assert not any(future.done() for future in waiting)
        finally:
            readers.may_load.set()
        first, second = (future.result() for future in waiting)
    assert first == second != ""
    assert len(readers.loads) == 1


def test_espeak_starts_outside_of_the_turn(monkeypatch):
    front_end = FrontEnd()
    _words(front_end, "Good day.", "en-us")  # needs none
    started, may_start = threading.Event(), threading.Event()

    class Slow(Espeak):
        def __init__(self):
            started.set()
            assert may_start.wait(60)
            super().__init__()

    monkeypatch.setattr("service.text.readers.Espeak", Slow)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(_words, front_end, "Hola.", "es")
        try:
            assert started.wait(60)
            assert _words(front_end, "Good day.", "en-us") == "ɡˈʊd dˈA."
        finally:
            may_start.set()
        assert waiting.result()


def test_a_failed_load_is_tried_again_and_lets_others_read(espeak):
    front_end = FrontEnd(espeak)
    n_failures = 1

    class Failing(Readers):
        def _make(self, language):
            nonlocal n_failures
            if language.code == "ja" and n_failures:
                n_failures -= 1
                raise OSError("the dictionary cannot be read")
            return super()._make(language)

    front_end.readers = Failing(espeak, loading=front_end._turn.given_away)
    with pytest.raises(OSError, match="dictionary"):
        _words(front_end, "Say とうきょう.", "en-us")
    assert _words(front_end, "Good day.", "en-us")
    assert _words(front_end, "Say とうきょう.", "en-us")


def test_a_model_may_read_a_language_by_a_table_of_its_own(espeak):
    usual = FrontEnd(espeak)
    told = {"de": EspeakSounds("gmw/de", {"ɔ^ø": "A", "ɔø": "A", "ç": "S"})}
    other = usual.of_model(usual.vocabulary, told)
    text = Passage(TracedText("Ich heute."))

    def read(front_end):
        return " ".join(reading.phonemes for reading in front_end.read(text, "de"))

    assert ("ç" in read(usual), "Y" in read(usual)) == (True, True)
    assert read(other) == read(usual).replace("ç", "S").replace("Y", "A")
    assert other.readers.get("es") is usual.readers.get("es")
    with pytest.raises(LanguageUnavailableError):
        usual.of_model(usual.vocabulary, {"tlh": EspeakSounds("art/tlh", {})})
