"""Keys, who cannot see or use a mouse, and `/docs`: the OpenAPI document as a page that sends requests."""

import pytest

from tests.page.browsing import watch
from tests.page.conftest import KEY

PHONE = {"width": 390, "height": 844}


def enter(tab, key):
    tab.page.wait_for_selector("#key-form:not([hidden])")
    tab.page.fill("#key", key)
    tab.page.press("#key", "Enter")


def test_a_key_is_asked_for_kept_for_the_tab_and_in_no_address(keyed_tab):
    assert "an API key is needed" in keyed_tab.error()
    enter(keyed_tab, "not-the-key-of-anybody")
    keyed_tab.page.wait_for_function(
        "() => document.getElementById('error').textContent.includes('the API key is unknown')"
    )
    enter(keyed_tab, KEY)
    keyed_tab.wait_until_ready()
    assert keyed_tab.page.is_hidden("#key-form")
    assert keyed_tab.listen()["loudest"] > 0.1
    keyed_tab.page.reload()
    keyed_tab.wait_until_ready()
    assert KEY not in keyed_tab.page.content()
    assert not [url for url in keyed_tab.urls if KEY[:-3] in url]
    assert not keyed_tab.page.context.cookies()
    assert KEY[:-3] not in "".join(keyed_tab.server.log)


def serious_violations(tab, axe):
    """Return the rules of axe-core that the page breaks, each with where."""
    tab.page.evaluate(axe.read_text(encoding="utf-8"))
    found = tab.page.evaluate("axe.run()")
    assert found["passes"]
    return [
        (rule["id"], [node["target"] for node in rule["nodes"]])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True])
def test_axe_finds_nothing_serious(browser, server, repository, scheme, phone):
    axe = repository / ".venv/page/node_modules/axe-core/axe.min.js"
    if not axe.exists():
        pytest.skip("axe-core is not installed; run make page-tools, which needs npm")
    with watch(browser, server, color_scheme=scheme, **({"viewport": PHONE} if phone else {})) as tab:
        tab.wait_until_ready()
        tab.page.click("#read")
        tab.page.click("#words button >> nth=0")
        tab.page.click("#conversation-tab")
        tab.page.click("#status-title")
        tab.page.wait_for_selector("#facts dd")
        assert not serious_violations(tab, axe)
        width = tab.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert width <= 0, "the page is wider than its window"


# /docs, from nothing but this service.

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
