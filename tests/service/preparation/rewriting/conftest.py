"""What turns recognized operators into such as can be run."""

from __future__ import annotations

import pytest

from tests.service.preparation.rewriting.graph_checks import Backend, backend_named


@pytest.fixture(
    scope="session",
    params=["stock", "native"],
)
def backend(request: pytest.FixtureRequest) -> Backend:
    return backend_named(request.param)


@pytest.fixture(scope="session")
def native() -> Backend:
    return backend_named("native")
