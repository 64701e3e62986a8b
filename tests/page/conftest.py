"""The page in Debian's Chromium, driven by Playwright."""

import os
import shutil

import pytest

from tests.page.browsing import watch
from tests.service.api.serving_process import lent, write

KEY = "correct-horse-battery(1)"
"""With characters that a subprotocol cannot have."""


# It ends with the module: while Playwright is there, no other test of the process can run an event loop.
@pytest.fixture(scope="module")
def browser():
    program = shutil.which("chromium")
    if program is None:
        reason = "there is no Chromium; on Debian: apt-get install chromium"
        if os.environ.get("PAGE_TESTS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    # Chromium's sandbox does not start for root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(start_server):
    yield from lent(start_server)


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    return write(tmp_path_factory.mktemp("keys") / "keys", KEY.encode())


@pytest.fixture(scope="session")
def keyed_server(start_server, keys):
    yield from lent(start_server, "--api-keys-file", str(keys), "--private-lists")


@pytest.fixture
def tab(browser, server):
    """The page of a server without keys, ready to speak."""
    with watch(browser, server) as tab:
        tab.wait_until_ready()
        yield tab


@pytest.fixture
def keyed_tab(browser, keyed_server):
    with watch(browser, keyed_server) as tab:
        yield tab
        tab.forget_complaints("401")
