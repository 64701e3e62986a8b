import pytest
from tests.service.api.wyoming.talks import Talk


@pytest.fixture(scope="session")
def wyoming(faulty):
    return faulty


@pytest.fixture
def client(wyoming):
    with Talk(wyoming.uri) as client:
        yield client
