import pytest
from tests.service.api.wyoming.talks import Talk


@pytest.fixture
def client(faulty):
    with Talk(faulty.uri) as client:
        yield client
