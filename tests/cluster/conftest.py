"""What the tests on Ray share: two nodes."""

from importlib.util import find_spec

import pytest

from tests.cluster.ray_nodes import Cluster


@pytest.fixture(scope="session", autouse=True)
def _needs_ray():
    if find_spec("ray") is None:
        pytest.skip("needs Ray: make test-cluster installs it")


@pytest.fixture(scope="session")
def cluster(model_file, cache_dir):
    with Cluster(KOKORO_CACHE_DIR=str(cache_dir)) as cluster:
        yield cluster
