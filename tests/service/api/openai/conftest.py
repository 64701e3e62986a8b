"""A server with a key and settings of OpenAI's door, and the official client for it."""

import pytest
from tests.service.api.openai.openai_client import HEADERS, KEY, SHORT, connect
from tests.service.api.serving_process import lent, write


@pytest.fixture(scope="session")
def keyed_server(start_server, tmp_path_factory):
    """One that asks for a key, and keeps what it said, for the second format of the same text."""
    folder = tmp_path_factory.mktemp("openai")
    keys, config = write(folder / "keys", KEY.encode()), folder / "config.toml"
    config.write_text('[openai_voices]\nnova = "bm_george"\n"My Blend" = "af_bella(2)+af_sky(1)"\n')
    flags = ("--audio-cache-bytes", "50_000_000", "--config", str(config), "--log-level", "debug")
    yield from lent(start_server, "--api-keys-file", str(keys), *flags)


@pytest.fixture(scope="session")
def client(keyed_server):
    with connect(keyed_server) as client:
        yield client


@pytest.fixture(scope="session")
def ask(keyed_server):
    """Ask without the client, for what it does not send."""

    def ask(**fields):
        body = {"input": SHORT, "response_format": "pcm", **fields}
        return keyed_server.client.post("/v1/audio/speech", json=body, headers=HEADERS)

    return ask


@pytest.fixture(scope="session")
def own(keyed_server):
    return lambda **fields: keyed_server.client.post("/synthesize", json=fields, headers=HEADERS)
