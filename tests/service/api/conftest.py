"""Real servers: processes of their own on real ports, whose model hums unless a test needs speech.

A sentence costs the real model as much as forty cost the small one, and most tests of the API ask
nothing about speech.
"""

from contextlib import closing
from functools import partial

import pytest

from service.model import open_runtime
from service.preparation import Source, getting
from service.preparation.store import Store
from tests.service.api.serving_process import FAULTY_SERVER, WYOMING, lent, write
from tests.service.api.speech_client import KEY_FILE, KEYS, LISTED
from tests.small_kokoro import note, write_parts, write_small_kokoro


@pytest.fixture(scope="session")
def small_cache(tmp_path_factory):
    """A cache in which the small model stands for the published one, prepared for this machine."""
    cache = tmp_path_factory.mktemp("small")
    source = Source(cache / "small.onnx", published=True)
    model = getting._for_processor(source, Store(cache), open_runtime(), None)
    model.folder.mkdir(parents=True)
    write_parts(write_small_kokoro(source.path), model.folder, model.variant)
    note(model)
    yield cache
    assert [path for path in (cache / "prepared").iterdir() if path.is_dir()] == [model.folder]


@pytest.fixture(scope="session")
def small_synthesizer(small_cache):
    """One that can decode in windows, as the servers do."""
    from service.loading import load_synthesizer
    from service.settings import Settings

    with closing(load_synthesizer(Settings(cache_dir=small_cache), lambda line: None)) as synthesizer:
        yield synthesizer


@pytest.fixture(scope="session")
def start_server(start_server, small_cache):
    return partial(start_server, "--cache-dir", str(small_cache), forked=True)


@pytest.fixture(scope="session")
def start_real_server(start_server, cache_dir):
    return partial(start_server, "--cache-dir", str(cache_dir), forked=True)


@pytest.fixture(scope="session")
def real_server(start_real_server):
    yield from lent(start_real_server, *WYOMING)


@pytest.fixture(scope="session")
def real_remembering(start_real_server):
    """One that makes the same speech once."""
    yield from lent(start_real_server, "--audio-cache-bytes", "50000000")


@pytest.fixture(scope="session")
def server(start_server):
    """The server that most tests share."""
    yield from lent(start_server)


@pytest.fixture(scope="session")
def remembering(start_server):
    """A server that makes the same speech once."""
    yield from lent(start_server, "--audio-cache-bytes", "50000000")


@pytest.fixture(scope="session")
def telling_server(start_server):
    """A server that logs the runs of its model, some of which fail; see `faulty_server`."""
    yield from lent(start_server, program=FAULTY_SERVER)


@pytest.fixture(scope="session")
def secured_keys(tmp_path_factory):
    """A file of the keys that `secured` accepts."""
    return write(tmp_path_factory.mktemp("keys") / "keys", "\n".join(["# for the robot", *KEYS, ""]).encode())


@pytest.fixture
def key_file(tmp_path):
    return write(tmp_path / "keys", KEY_FILE)


@pytest.fixture(scope="session")
def faulty(start_server):
    """Another such server, for sessions: with a cache, little patience, few places, and Wyoming at `uri`."""
    flags = (*WYOMING, "--audio-cache-bytes", "50000000", "--send-timeout-s", "5", "--max-websockets", "8")
    yield from lent(start_server, *flags, program=FAULTY_SERVER)


@pytest.fixture(scope="session")
def secured(start_server, secured_keys):
    """One with keys, a listed origin, little patience and a log in JSON, that can be made fail."""
    yield from lent(
        start_server,
        *("--api-keys-file", str(secured_keys), "--private-lists", "--cors-origins", LISTED),
        *("--receive-timeout-s", "1", "--max-text-length", "1000"),
        *("--audio-cache-bytes", "10_000_000", "--log-format", "json", "--log-level", "debug"),
        "--strict-characters",
        program=FAULTY_SERVER,
    )
