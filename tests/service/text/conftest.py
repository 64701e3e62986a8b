import pytest

from service.text import Espeak, FrontEnd
from service.text.espeak.reader import EspeakReader
from service.text.readers import Readers


@pytest.fixture(scope="session")
def espeak():
    return Espeak()


@pytest.fixture(scope="session")
def front_end(espeak):
    return FrontEnd(espeak)


@pytest.fixture(scope="session")
def strict_front_end(espeak):
    """Return a front end that refuses what it cannot read."""
    return FrontEnd(espeak, strict=True)


class EspeakReaders(Readers):
    """Reads English with espeak-ng alone, which normally reads only what the lexicon lacks."""

    def _make(self, language):
        return EspeakReader(lambda: self.espeak, language) if language.espeak_voice else super()._make(language)


@pytest.fixture(scope="session")
def espeak_front_end(espeak):
    """Return a front end that also reads English with espeak-ng, to test espeak-ng on any text."""
    front_end = FrontEnd(espeak)
    front_end.readers = EspeakReaders(espeak)
    return front_end
