"""A real server with a key and settings of OpenAI's door, and the official client for it."""

import pytest
from tests.service.api.openai.openai_client import KEY, connect


@pytest.fixture(scope="session")
def keyed_server(start_real_server, tmp_path_factory):
    """One that asks for a key, and keeps what it said, for the second format of the same text."""
    folder = tmp_path_factory.mktemp("openai")
    keys = folder / "keys"
    keys.write_text(f"{KEY}\n")
    keys.chmod(0o600)
    config = folder / "config.toml"
    config.write_text('[openai_voices]\nnova = "bm_george"\n"My Blend" = "af_bella(2)+af_sky(1)"\n')
    server = start_real_server(
        *("--api-keys-file", str(keys), "--audio-cache-bytes", "50_000_000"),
        *("--config", str(config), "--log-level", "debug"),
    )
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="session")
def client(keyed_server):
    with connect(keyed_server) as client:
        yield client
