import pytest

from service.text import find_language, punctuation
from service.text.characters import clean_text
from service.text.espeak.reader import EspeakReader
from service.text.languages.english.reader import EnglishReader
from service.text.offset_mapping import TracedText


@pytest.fixture(scope="session")
def readers(espeak):
    return {
        code: EnglishReader(british=code == "en-gb", espeak=EspeakReader(lambda: espeak, find_language(code)))
        for code in ("en-us", "en-gb")
    }


@pytest.fixture(scope="session")
def read(readers):
    def read(text, language="en-us", overrides=()):
        spans = punctuation.split(clean_text(TracedText(text)), overrides)
        said = [fragment.phonemes for fragment in readers[language].read(spans)]
        return "".join(punctuation.space(said, spans))

    return read
