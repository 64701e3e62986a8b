"""What turns recognized operators into such as can be run."""

import pytest

from tests.service.preparation.checks import backend_named
from tests.service.preparation.rewriting.published_graphs import Published


@pytest.fixture(scope="session", params=["stock", "native"])
def backend(request):
    return backend_named(request.param)


@pytest.fixture(scope="session")
def native():
    return backend_named("native")


@pytest.fixture
def graph():
    return Published()
