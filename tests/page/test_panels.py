"""Panels: the conversation by WebSocket with its messages, and what `/ready` and `/metrics` say to operators."""

import json
import re

import pytest

LOUDEST = """async () => {
  const main = document.querySelector('script[type=module]').src;
  const { conversation } = await import(main);
  const { player } = conversation;
  const heard = new Float32Array(2048);
  player.analyser.getFloatTimeDomainData(heard);
  return Math.max(...heard.map(Math.abs));
}"""


@pytest.fixture
def talk(tab):
    tab.page.click("#conversation-tab")
    assert tab.page.is_hidden("#request-panel")
    return tab


def messages(tab, kind):
    texts = tab.page.locator(f"#messages .{kind} code").all_inner_texts()
    return [json.loads(text) for text in texts if text.endswith("}")]


def wait_for_message(tab, kind, text, times=1):
    shown = tab.page.locator(f"#messages .{kind} code", has_text=text)
    shown.nth(times - 1).wait_for()


def test_a_text_is_typed_in_tokens_and_sounds_while_it_is_typed(talk):
    text = "Good day, robot. " + "Then it goes on and on. " * 8
    talk.page.select_option("#token-rate", "5")
    talk.page.fill("#written", text)
    talk.page.click("#write")
    wait_for_message(talk, "received", '"audio"')
    talk.page.wait_for_function(f"async () => await ({LOUDEST})() > 0.05")
    wait_for_message(talk, "received", '"flushed"')
    order = talk.page.locator("#messages code").all_inner_texts()
    first_audio = next(i for i, message in enumerate(order) if '"audio"' in message)
    assert any('"text"' in message for message in order[first_audio:]), "it types while it sounds"
    sent = messages(talk, "sent")
    assert sent[0]["type"] == "config"
    tokens = [message["text"] for message in sent if message["type"] == "text"]
    assert "".join(tokens) == text
    assert len(tokens) > len(text) / 6
    assert re.fullmatch(r"First sound [\d.]+ s after the first token\.", talk.text("first-token"))
    talk.page.click("#end-session")
    wait_for_message(talk, "received", '"done"')
    assert talk.page.is_enabled("#write")
    assert talk.page.is_disabled("#interrupt")


def test_interrupting_cancels_and_the_next_turn_is_spoken(talk):
    talk.page.select_option("#token-rate", "100")
    talk.page.fill("#written", "This sentence is said again and again. " * 20)
    talk.page.click("#write")
    wait_for_message(talk, "received", '"audio"')
    talk.page.click("#interrupt")
    wait_for_message(talk, "received", '"cancelled"')
    talk.page.wait_for_function(f"async () => await ({LOUDEST})() === 0")
    talk.page.fill("#written", "All right.")
    talk.page.click("#write")
    wait_for_message(talk, "received", '"flushed"')
    talk.page.wait_for_function(f"async () => await ({LOUDEST})() > 0.05")
    talk.page.click("#speak")
    talk.page.wait_for_selector(".word.lit")
    wait_for_message(talk, "received", '"cancelled"', times=2)


def test_arrow_keys_move_between_the_tabs(tab):
    tab.page.focus("#request-tab")
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.is_visible("#conversation-panel")
    assert tab.page.evaluate("document.activeElement.id") == "conversation-tab"
    assert tab.page.get_attribute("#conversation-tab", "aria-selected") == "true"
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.is_visible("#request-panel")


# The operators' panel.


def facts(tab):
    rows = tab.page.locator("#facts div").all_inner_texts()
    return dict(row.split("\n", 1) for row in rows)


def charts(tab):
    rows = tab.page.locator("#charts figcaption").all()
    return {row.evaluate("row => row.firstChild.textContent"): row.locator("strong").inner_text() for row in rows}


def test_it_shows_the_model_and_the_numbers_of_speech(tab, server):
    tab.page.click("#status-title")
    tab.page.wait_for_selector("#charts polyline", state="attached")
    ready = server.client.get("/ready").json()
    shown = facts(tab)
    assert shown["Model"] == ready["model"]["name"]
    assert shown["Variant"] == f"{ready['model']['prepared']} {ready['model']['kernels']}"
    assert shown["Execution provider"] == ready["provider"]
    assert shown["ONNX Runtime"] == ready["onnxruntime"]
    assert 100 < int(charts(tab)["Memory"].removesuffix(" MB")) < 2000
    # Nobody has spoken since it was opened.
    assert charts(tab)["Real-time factor"] == "–"
    tab.type("Good morning.")
    tab.listen()
    tab.page.wait_for_function("() => !document.querySelector('#charts').innerText.includes('–')")
    found = charts(tab)
    assert re.fullmatch(r"\d+\.\d\d s", found["Time to first audio"])
    assert server.wait_for(r"(path=/synthesize/stream .*outcome=ok.*)")
    assert float(found["Real-time factor"]) > 0
    drawn = tab.page.locator("#charts polyline").count()
    assert drawn == len(found) == 5
    label = tab.page.locator("#charts svg").first.get_attribute("aria-label")
    assert label is not None
    assert re.fullmatch(r"Memory: \d+ MB, \d+ MB – \d+ MB", label)


def test_it_asks_only_while_it_is_open(tab):
    tab.page.click("#status-title")
    tab.page.wait_for_selector("#charts polyline", state="attached")
    tab.page.click("#status-title")
    tab.urls.clear()
    tab.type("Good morning, robot.")
    tab.listen()
    assert not [url for url in tab.urls if url.endswith(("/ready", "/metrics"))]
