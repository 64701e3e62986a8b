"""Caches, empty and filled."""

import pytest

from tests.service.preparation.store_bench import Bench


@pytest.fixture
def bench(tmp_path, monkeypatch):
    return Bench(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A prepared model; tests leave it whole."""
    with pytest.MonkeyPatch.context() as patch:
        bench = Bench(tmp_path_factory.mktemp("made"), patch)
        bench.prepare("faithful")
        yield bench
