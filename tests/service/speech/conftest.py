from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.speech import Synthesizer
from tests.opened_models import open_small


@pytest.fixture(scope="session")
def small_synthesizer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesizer]:
    """A synthesizer with a model that hums at once, for tests of all but the sound."""
    synthesizer = open_small(tmp_path_factory.mktemp("small"))
    yield synthesizer
    synthesizer.close()
