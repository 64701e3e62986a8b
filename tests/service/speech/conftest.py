import pytest


@pytest.fixture(scope="session")
def small_synthesizer(tmp_path_factory):
    """A synthesizer with a model that hums at once, for tests of all but the sound."""
    from tests.opened_models import open_small

    synthesizer = open_small(tmp_path_factory.mktemp("small"))
    yield synthesizer
    synthesizer.close()
