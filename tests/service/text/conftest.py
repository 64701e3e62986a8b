from __future__ import annotations

import pytest

from service.text import Espeak, FrontEnd
from service.text.readers import Readers


@pytest.fixture(scope="session")
def espeak() -> Espeak:
    return Espeak()


@pytest.fixture(scope="session")
def front_end(espeak: Espeak) -> FrontEnd:
    return FrontEnd(espeak)


class EspeakReaders(Readers):
    """As if misaki were not there."""

    def name(self, code: str) -> str:
        return "espeak-ng"


@pytest.fixture(scope="session")
def espeak_front_end(espeak: Espeak) -> FrontEnd:
    """Reads English too by espeak-ng, as it is done where misaki has no release for Python."""
    front_end = FrontEnd(espeak)
    front_end.readers = EspeakReaders(espeak)
    return front_end
