"""What all tests share: the real model, assembled once, and a synthesizer on it.

Every test imports this file, so it imports what a fixture needs only in that fixture.
"""

import gc
import hashlib
import os
import subprocess
import zlib
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


MARKED = {
    "thorough": (
        "bench", "clients", "conformance", "container", "cuda", "gpu", "native", "page",
        "service/machine", "service/preparation",
    ),  # parts that seldom change, or many tests
    "cluster": ("cluster",),
}  # fmt: skip
"""Folders all of whose tests have a mark."""


def pytest_addoption(parser):
    parser.addoption("--hosted-by", help="have another ASGI server serve")
    parser.addoption("--share", type=int, default=1, help="run one in so many thorough tests, others with each commit")


@pytest.hookimpl(tryfirst=True)  # before Hypothesis loads the profile
def pytest_configure(config):
    gc.disable()  # until all is collected: little of it is garbage, and the search takes a third more time
    if config.getoption("--hypothesis-profile"):
        import tests.profiles  # noqa: F401


def pytest_ignore_collect(collection_path, config):
    """Do not import the tests of a folder that are not run."""
    return any(
        f"not {mark}" in config.option.markexpr and collection_path == REPOSITORY / "tests" / name
        for mark, names in MARKED.items()
        for name in names
    ) or None  # fmt: skip


def pytest_collection_modifyitems(config, items):
    """Mark whole folders, and refuse a test of Hypothesis that has set a deadline of its own."""
    for item in items:
        for mark, names in MARKED.items():
            if str(item.path).startswith(tuple(f"{REPOSITORY}/tests/{name}/" for name in names)):
                item.add_marker(mark)
        if config.getoption("hosted_by") and item.get_closest_marker("own_server"):
            item.add_marker(pytest.mark.skip(reason="of the service's own server"))
        given = getattr(getattr(item, "function", None), "_hypothesis_internal_use_settings", None)
        if given is not None and given.deadline is not None:
            raise pytest.UsageError(f"{item.nodeid} has a deadline; leave it out of its settings")
    n_shares = config.getoption("share")
    if n_shares > 1:
        left_out = {item for item in items if item.get_closest_marker("thorough") and not _is_drawn(item, n_shares)}
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]


def _is_drawn(item, n_shares):
    """Tell whether a test is in the share that this commit runs: in so many commits each is once or so."""
    return zlib.crc32(f"{_commit()} {item.nodeid}".encode()) % n_shares == 0


@cache
def _commit():
    """Return the commit, so that who tries it again runs the same tests; empty outside of a clone."""
    command = ["git", "-C", str(REPOSITORY), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def pytest_collection_finish(session):
    """Leave what was collected out of every later search for garbage, which takes a fifteenth of all work."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside(tmp_path_factory):
    """Tests see the defaults, whatever the developer's shell has set, and no voices that they added.

    Beside other workers each model has its worker's share of the processors. Threads wait for each
    other by spinning, which took a third more time where others needed the processor.
    """
    for variable in [name for name in os.environ if name.startswith("KOKORO_")]:
        del os.environ[variable]
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.getbasetemp() / "data")
    n_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if n_workers > 1:
        os.environ["KOKORO_THREADS"] = str(max(1, (os.cpu_count() or 1) // n_workers))


@pytest.fixture(scope="session", autouse=True)
def library():
    """ONNX Runtime's, quiet: failures are provoked all the time, and a process has but one log level."""
    import ortffi

    return ortffi.init(log_level=ortffi.LogLevel.FATAL).library


@pytest.fixture(scope="session")
def repository():
    return REPOSITORY


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory):
    """A cache of the session's own; only the prepared model is kept from session to session."""
    cache = tmp_path_factory.mktemp("cache")
    prepared = REPOSITORY / ".venv" / "prepared" / _digest_of_what_prepares()
    prepared.mkdir(parents=True, exist_ok=True)
    (cache / "prepared").symlink_to(prepared)
    return cache


def _digest_of_what_prepares():
    """Return a name that changes with the sources that decide what a prepared model is."""
    digest = hashlib.sha256()
    python, c = "**/*.py", "*.[ch]"
    for folder, pattern in (("service/model", python), ("service/preparation", python), ("native", c)):
        for path in sorted((REPOSITORY / folder).glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@pytest.fixture(scope="session")
def model_file(cache_dir):
    """The published model, put together from the installed packages."""
    from service.preparation import assemble

    path = cache_dir / "kokoro-v1.0.int8.onnx"
    assemble(path, lambda line: None)
    return path


@pytest.fixture(scope="session")
def synthesizer(model_file, cache_dir):
    from service.loading import load_synthesizer
    from service.settings import Settings

    synthesizer = load_synthesizer(Settings(cache_dir=cache_dir), lambda line: None)
    yield synthesizer
    synthesizer.close()


@pytest.fixture(scope="session")
def small_synthesizer(tmp_path_factory):
    """A synthesizer with a model that hums at once, for tests of all but the sound."""
    from tests.opened_models import open_small

    synthesizer = open_small(tmp_path_factory.mktemp("small"))
    yield synthesizer
    synthesizer.close()


@pytest.fixture(scope="session")
def start_server(model_file, cache_dir, pytestconfig):
    from tests.service.api.serving_process import OWN_SERVER, hosted_by, starting

    host = pytestconfig.getoption("hosted_by")
    with starting(cache_dir, hosted_by(host) if host else OWN_SERVER) as start:
        yield start
