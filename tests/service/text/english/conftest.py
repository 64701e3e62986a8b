import re
from collections.abc import Callable
from pathlib import Path

import pytest
from service.text.characters import clean_text
from service.text.english.reader import EnglishReader
from service.text.espeak.reader import EspeakReader
from service.text.offset_mapping import TracedText

from service.text import find_language, punctuation

DATA = Path(__file__).parents[3] / "data" / "reading"

Readers = dict[str, EnglishReader]
Read = Callable[..., str]


def rows(name):
    """Return the cells of each line of a table."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def words(phonemes):
    """Return the words of a reading, without its marks."""
    return re.sub(r"[“”()—….,;:!?]", " ", phonemes).split()


def read_with(reader, text):
    spans = punctuation.split(clean_text(TracedText(text)))
    said = [fragment.phonemes for fragment in reader.read(spans)]
    return "".join(punctuation.space(said, spans))


@pytest.fixture(scope="session")
def readers(espeak):
    return {
        code: EnglishReader(british=code == "en-gb", espeak=EspeakReader(lambda: espeak, find_language(code)))
        for code in ("en-us", "en-gb")
    }


@pytest.fixture(scope="session")
def read(readers):
    def read(text, language="en-us"):
        return read_with(readers[language], text)

    return read


@pytest.fixture(scope="session")
def table():
    return rows


@pytest.fixture(scope="session")
def words_of():
    return words
