"""What is refused or lost is told, and the page goes on as soon as the service does."""

import json

import pytest
from tests.page.browsing import watch
from tests.service.api.serving_process import lent
from websockets.sync.client import connect

LONG = "This sentence is said again and again. " * 60


@pytest.fixture
def narrow_server(start_server):
    """A server for one request and one session at once."""
    yield from lent(start_server, "--max-requests", "1", "--max-websockets", "1")


def test_a_full_service_says_so_and_is_asked_again(browser, narrow_server):
    server = narrow_server
    with watch(browser, server) as tab:
        tab.wait_until_ready()
        tab.type("Hello there.")
        body = {"text": LONG, "stream": True, "format": "pcm"}
        with server.client.stream("POST", "/synthesize", json=body) as busy:
            parts = busy.iter_bytes()
            next(parts)
            tab.page.click("#download")
            assert "too many requests: 1 are in progress or waiting" in tab.error()
        server.wait_for(r"(path=/synthesize .*outcome=cancelled)")
        with tab.page.expect_download() as waiting:
            tab.page.click("#download")
        assert waiting.value.path().stat().st_size > 10_000
        assert tab.text("error") == ""
        with connect(server.url.replace("http", "ws") + "/synthesize/stream") as session:
            assert json.loads(session.recv())["type"] == "ready"
            tab.page.click("#speak")
            assert "did not open the connection" in tab.error()
        server.wait_for(r"(path=/synthesize/stream .*outcome=ok)")
        assert tab.listen()["loudest"] > 0.1
        assert tab.text("error") == ""
        tab.forget_complaints("503")


def test_a_server_that_goes_and_comes_back_is_spoken_with_again(browser, start_server):
    first = start_server()
    first.wait_until_ready()
    port = first.url.rpartition(":")[2]
    with watch(browser, first) as tab:
        tab.wait_until_ready()
        tab.type(LONG)
        tab.page.click("#speak")
        tab.page.wait_for_selector(".word.lit")
        first.process.kill()
        first.process.wait()
        assert tab.error() == "The connection ended before the speech was complete."
        assert tab.page.is_disabled("#stop")
        tab.type("Hello there.")
        tab.page.click("#speak")
        tab.page.wait_for_function("() => document.getElementById('error').textContent.includes('does not answer')")
        second = start_server("--port", port)
        second.wait_until_ready()
        assert tab.listen()["loudest"] > 0.1
        assert tab.text("error") == ""
        tab.forget_complaints("ERR_CONNECTION_REFUSED")
    assert second.stop() == 0


def test_a_page_that_was_opened_too_early_waits_for_the_model(browser, start_server):
    server = start_server()  # it answers before the model is loaded
    with watch(browser, server) as tab:
        tab.wait_until_ready()
        assert tab.text("error") == ""
        tab.type("Hello there.")
        assert tab.listen()["loudest"] > 0.1
        tab.forget_complaints("503")
    assert server.stop() == 0
