"""The operators' panel shows what `/ready` and `/metrics` say."""

import re


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
    line = server.wait_for(r"(path=/synthesize/stream .*outcome=ok.*)")
    assert line
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
