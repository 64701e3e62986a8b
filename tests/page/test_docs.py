"""`/docs`: the OpenAPI document as a page that sends requests, from nothing but this service."""

import pytest
from tests.page.browsing import watch
from tests.page.conftest import KEY

SYNTHESIZE = "#operations-speech-synthesize"


def send_the_example(tab, operation):
    tab.page.click(f"{operation} .opblock-summary-control")
    tab.page.click(f"{operation} .try-out__btn")
    tab.page.click(f"{operation} .execute")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_requests_are_sent_and_speech_is_played(browser, server, scheme):
    with watch(browser, server, "/docs", color_scheme=scheme) as tab:
        send_the_example(tab, SYNTHESIZE)
        tab.page.wait_for_selector(f"{SYNTHESIZE} audio")
        length = f"document.querySelector('{SYNTHESIZE} audio').duration"
        tab.page.wait_for_function(f"() => {length} > 0.5")
        status = tab.page.inner_text(f"{SYNTHESIZE} .live-responses-table .response .response-col_status")
        assert status.startswith("200")
        send_the_example(tab, "#operations-speech-phonemize")
        tab.page.wait_for_selector("#operations-speech-phonemize .live-responses-table")
        assert tab.page.locator("html.dark-mode").count() == (scheme == "dark")


def test_with_keys_it_asks_for_one_and_sends_it(browser, keyed_server):
    with watch(browser, keyed_server, "/docs") as tab:
        assert "an API key is needed" in tab.error()
        tab.page.fill("#key", KEY)
        tab.page.press("#key", "Enter")
        send_the_example(tab, SYNTHESIZE)
        tab.page.wait_for_selector(f"{SYNTHESIZE} audio")
        assert KEY not in tab.page.content()
        assert not [url for url in tab.urls if KEY[:-3] in url]
        tab.forget_complaints("status of 401")
    assert KEY[:-3] not in "".join(keyed_server.log)
