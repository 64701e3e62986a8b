"""Every control does what it says."""

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def copied(tab, button):
    tab.page.evaluate("() => { document.getElementById('said').textContent = ''; }")
    tab.page.click(button)
    tab.page.wait_for_function("() => document.getElementById('said').textContent === 'Copied.'")
    return str(tab.page.evaluate("() => navigator.clipboard.readText()"))


def shown_voices(tab):
    return [str(name) for name in tab.page.locator("#voices label").all_inner_texts()]


def test_what_is_copied_is_in_the_clipboard(tab):
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.type("Hello, Smith.")
    assert copied(tab, "#copy-request") == tab.text("request")
    tab.page.click("#read")
    tab.page.click("#words button >> nth=1")
    tab.page.fill("#word-phonemes", "smˈIθ")
    assert copied(tab, "#copy-markup") == "[Smith](/smˈIθ/)"
    assert tomllib.loads(copied(tab, "#copy-lexicon")) == {"Smith": "/smˈIθ/"}


def test_volume_is_heard_and_speed_shortens(tab):
    tab.type("Good morning, dear robot.")
    usual = tab.listen()
    tab.page.fill("#volume", "0")
    tab.page.fill("#speed", "2")
    assert (tab.text("volume-value"), tab.text("speed-value")) == ("0 %", "2×")
    changed = tab.listen()
    assert usual["loudest"] > 0.1
    assert changed["loudest"] == 0
    assert changed["length_s"] < 0.75 * usual["length_s"]
    tab.page.fill("#volume", "1")
    assert tab.listen("#again")["loudest"] > 0.1


def test_voices_are_found_by_name_language_and_sex(tab):
    everyone = shown_voices(tab)
    assert len(everyone) == 54
    for wanted, names in (("AF_bella", ["af_bella"]), ("Spanish, female", ["ef_dora"]), ("nobody", []), ("", everyone)):
        tab.page.fill("#search", wanted)
        assert shown_voices(tab) == names
        assert tab.page.is_visible("text=No voice has this name.") == (not names)


def test_a_voice_speaks_a_line_in_its_own_language(tab):
    heard = tab.listen("button[aria-label='Listen: ef_dora']")
    assert heard["loudest"] > 0.05
    assert [word["text"] for word in heard["words"]] == ["Hola", "esta", "es", "mi", "voz"]
    assert tab.text("transcript") == "Hola, esta es mi voz."
    # It was heard, not chosen.
    assert '"voice":"af_heart"' in tab.text("request")


def test_a_blend_has_at_most_four_voices_and_at_least_one(tab):
    for name in ("af_bella", "af_sky", "am_adam"):
        tab.page.check(f"#voice-{name}")
    tab.page.click("#voice-am_echo")
    assert not tab.page.is_checked("#voice-am_echo")
    assert tab.text("said") == "A blend has up to four voices."
    for name in ("af_bella", "af_sky", "am_adam"):
        tab.page.uncheck(f"#voice-{name}")
    tab.page.click("#voice-af_heart")
    assert tab.page.is_checked("#voice-af_heart")
    assert tab.page.is_hidden("#blend")
    tab.page.click("label[for=voice-bm_george]")
    assert '"voice":"bm_george"' in tab.text("request")
    assert tab.page.input_value("#language") == "en-gb"


def test_an_unknown_symbol_is_told_and_its_field_is_marked(tab, server):
    tab.type("Hello, Smith.")
    tab.page.click("#read")
    tab.page.click("#words button >> nth=1")
    tab.page.fill("#word-phonemes", "smˈ§θ")
    tab.page.press("#word-phonemes", "Enter")
    body = {"phonemes": "smˈ§θ", "voice": "af_heart", "speed": 1, "format": "pcm"}
    refusal = server.client.post("/synthesize", json=body)
    assert refusal.json()["error"]["code"] == "unknown_symbol"
    assert tab.error() == refusal.json()["error"]["message"]
    assert tab.page.get_attribute("#word-phonemes", "aria-invalid") == "true"
    tab.forget_complaints("status of 422")
    tab.page.fill("#word-phonemes", "smˈIθ")
    tab.page.press("#word-phonemes", "Enter")
    tab.page.wait_for_function("() => document.getElementById('length').textContent !== '–'")
    assert tab.text("error") == ""
    assert tab.page.get_attribute("#word-phonemes", "aria-invalid") is None
