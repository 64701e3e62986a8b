"""What is said here is real speech: times, rates, windows and the quiet between sentences."""

import pytest


@pytest.fixture(scope="session")
def server(real_server):
    return real_server


@pytest.fixture(scope="session")
def remembering(real_remembering):
    return real_remembering
