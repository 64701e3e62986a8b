from __future__ import annotations

import pytest

from service.text import Espeak, FrontEnd


@pytest.fixture(scope="session")
def espeak() -> Espeak:
    return Espeak()


@pytest.fixture(scope="session")
def front_end(espeak: Espeak) -> FrontEnd:
    return FrontEnd(espeak)
