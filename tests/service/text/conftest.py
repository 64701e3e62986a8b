from __future__ import annotations

import pytest

from service.errors import EspeakError
from service.text import Espeak, Phonemizer


@pytest.fixture(scope="session")
def espeak() -> Espeak:
    try:
        return Espeak()
    except EspeakError as error:
        pytest.skip(error.message)


@pytest.fixture(scope="session")
def phonemizer(espeak: Espeak) -> Phonemizer:
    return Phonemizer(espeak)
