"""What is said here is real speech: times, rates, windows and the quiet between sentences."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="session")
def server(real_server: Any) -> Any:
    return real_server


@pytest.fixture(scope="session")
def remembering(real_remembering: Any) -> Any:
    return real_remembering
