from __future__ import annotations

import pytest

from service.text import Espeak, Phonemizer


@pytest.fixture(scope="session")
def espeak() -> Espeak:
    return Espeak()


@pytest.fixture(scope="session")
def phonemizer(espeak: Espeak) -> Phonemizer:
    return Phonemizer(espeak)
