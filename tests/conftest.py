"""What all tests share: the real model, assembled once, and a synthesizer on it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ortffi
from service.loading import load_synthesizer
from service.preparation import assemble
from service.settings import Settings
from service.speech import Synthesizer
from tests.profiles import register
from tests.service.api.serving_process import HOSTS, OWN_SERVER, Server, hosted_by, starting

REPOSITORY = Path(__file__).resolve().parents[1]

register()


THOROUGH = (
    "bench", "clients", "conformance", "container", "cuda", "gpu", "native", "page",
    "service/machine", "service/preparation",
)  # fmt: skip
"""Folders whose tests only `make test-all` runs: parts that seldom change, or many tests."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--hosted-by", choices=HOSTS, help="have another ASGI server serve")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark whole folders, and refuse a test of Hypothesis that has set a deadline of its own."""
    folders = tuple(f"{REPOSITORY}/tests/{name}/" for name in THOROUGH)
    for item in items:
        if str(item.path).startswith(folders):
            item.add_marker(pytest.mark.thorough)
        if config.getoption("hosted_by") and item.get_closest_marker("own_server"):
            item.add_marker(pytest.mark.skip(reason="of the service's own server"))
        given = getattr(getattr(item, "function", None), "_hypothesis_internal_use_settings", None)
        if given is not None and given.deadline is not None:
            raise pytest.UsageError(f"{item.nodeid} has a deadline; leave it out of its settings")


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside() -> None:
    """Tests see the defaults, whatever the developer's shell has set.

    Beside other workers each model has its worker's share of the processors. Threads wait for each
    other by spinning, which took a third more time where others needed the processor.
    """
    for variable in [name for name in os.environ if name.startswith("KOKORO_")]:
        del os.environ[variable]
    n_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if n_workers > 1:
        os.environ["KOKORO_THREADS"] = str(max(1, (os.cpu_count() or 1) // n_workers))


@pytest.fixture(scope="session", autouse=True)
def library() -> ortffi.Library:
    """ONNX Runtime's library, quiet: failures are provoked all the time.

    A process has but one environment, with one log level; here all tests get the same.
    """
    return ortffi.init(log_level=ortffi.LogLevel.FATAL).library


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the session's own; only the prepared model is kept from session to session."""
    cache = tmp_path_factory.mktemp("cache")
    prepared = REPOSITORY / ".venv" / "prepared" / _digest_of_what_prepares()
    prepared.mkdir(parents=True, exist_ok=True)
    (cache / "prepared").symlink_to(prepared)
    return cache


def _digest_of_what_prepares() -> str:
    """Return a name that changes with the sources that decide what a prepared model is."""
    digest = hashlib.sha256()
    python, c = "**/*.py", "*.[ch]"
    for folder, pattern in (
        ("service/model", python), ("service/preparation", python), ("native", c)
    ):  # fmt: skip
        for path in sorted((REPOSITORY / folder).glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@pytest.fixture(scope="session")
def model_file(cache_dir: Path) -> Path:
    """The published model, put together from the installed packages."""
    path = cache_dir / "kokoro-v1.0.int8.onnx"
    assemble(path, lambda line: None)
    return path


@pytest.fixture(scope="session")
def synthesizer(model_file: Path, cache_dir: Path) -> Iterator[Synthesizer]:
    synthesizer = load_synthesizer(Settings(cache_dir=cache_dir), lambda line: None)
    yield synthesizer
    synthesizer.close()


@pytest.fixture(scope="session")
def start_server(
    model_file: Path, cache_dir: Path, pytestconfig: pytest.Config
) -> Iterator[Callable[..., Server]]:
    """Start servers; what is still running at the end is killed."""
    host = pytestconfig.getoption("hosted_by")
    with starting(cache_dir, hosted_by(host) if host else OWN_SERVER) as start:
        yield start
