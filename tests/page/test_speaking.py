"""The page speaks, stops, reads and downloads, every control does what it says, and troubles are told."""

import io
import json
import sys
from operator import sub
from statistics import median

import pytest
import soundfile
from websockets.sync.client import connect

from tests.page.browsing import watch
from tests.service.api.serving_process import lent


def test_it_sounds_and_words_light_up_in_their_time(tab):
    tab.type("Good morning, dear robot. Where are we going today?")
    heard = tab.listen()
    assert heard["loudest"] > 0.1
    assert "".join(tab.page.locator("#transcript .word").all_inner_texts()) == (
        "GoodmorningdearrobotWherearewegoingtoday"
    )
    assert tab.text("length") == f"{heard['length_s']:.2f} s"
    if float(tab.text("real-time-factor")) < 0.7:
        assert heard["underruns"] == 0
    lit = [word["index"] for word in heard["lit"]]
    assert lit == sorted(set(lit))
    for index, word in enumerate(heard["words"]):
        # A busy machine may draw no frame while a short word sounds.
        frames = [at for at in heard["positions"] if word["start_s"] <= at < word["end_s"]]
        assert index in lit or len(frames) < 2, word["text"]
    late = [word["position_s"] - heard["words"][word["index"]]["start_s"] for word in heard["lit"]]
    assert min(late) > -0.06
    assert median(late) < 0.06 + median(map(sub, heard["positions"][1:], heard["positions"]))


def test_a_click_plays_from_the_start_of_a_word(tab):
    tab.type("Good morning, dear robot.")
    words = tab.listen()["words"]
    starts = tab.page.evaluate("""async () => {
      const main = document.querySelector('script[type=module]').src;
      const { player } = await import(new URL('player.js', main));
      const starts = [];
      for (const word of document.querySelectorAll('.word')) {
        word.click();
        starts.push(player.position_s);
      }
      document.getElementById('stop').click();
      return starts;
    }""")
    # It sounds some milliseconds after the click. The clock of the sound moves in steps, which are
    # long on a busy machine.
    waits = [word["start_s"] - start_s for word, start_s in zip(words, starts, strict=True)]
    assert 0 < min(waits) <= max(waits) < min(waits) + 0.06
    assert max(waits) < 0.3


def test_stop_cancels_on_the_server(tab, server):
    tab.type("This sentence is said again and again. " * 60)
    tab.page.click("#speak")
    tab.page.wait_for_selector(".word.lit")
    tab.page.click("#stop")
    server.wait_for(r"(path=/synthesize/stream .*outcome=cancelled)")
    assert tab.page.is_disabled("#stop")
    assert tab.page.locator(".word.lit").count() == 0
    assert tab.text("said") == "Stopped."


def test_another_reading_of_a_word_is_heard_and_goes_into_the_text(tab):
    tab.type("Dr. Smith paid $5 😀")
    tab.page.click("#read")
    tab.page.wait_for_selector("#words button")
    assert tab.page.locator("#normalized ins").all_inner_texts()[0].startswith("Doctor")
    assert tab.page.locator("#normalized del").all_inner_texts()[0].startswith("Dr.")
    assert "😀" in tab.text("dropped-text")
    tab.page.click("#words button >> nth=1")
    assert tab.page.input_value("#word-phonemes") == "smˈɪθ"
    lengths = []
    for phonemes in ("smˈɪθ", "smˈɪθəɹiˌɛlO smˈɪθəɹiˌɛlO"):
        tab.page.evaluate("document.getElementById('length').textContent = ''")
        tab.page.fill("#word-phonemes", phonemes)
        tab.page.press("#word-phonemes", "Enter")
        tab.page.wait_for_selector("#length:not(:empty)")
        lengths.append(float(tab.text("length").removesuffix(" s")))
    assert lengths[0] + 0.3 < lengths[1]
    tab.page.click("#into-text")
    assert tab.page.input_value("#text").startswith("Dr. [Smith](/smˈɪθəɹiˌɛlO smˈɪθəɹiˌɛlO/) paid")


def test_every_language_that_is_installed_speaks(tab):
    languages = tab.page.eval_on_selector_all(
        "#language option:enabled", "options => options.map((option) => option.value)"
    )
    assert len(languages) >= 7
    for code in languages:
        tab.page.select_option("#language", code)
        tab.page.click("#example")
        assert tab.page.input_value("#text"), code
        heard = tab.listen()
        assert heard["loudest"] > 0.05, code
        assert heard["lit"], code


@pytest.mark.parametrize("form", ["wav", "mp3", "flac", "opus", "pcm", "srt", "vtt"])
def test_a_blend_is_downloaded_in_each_format(tab, form):
    tab.type("Hello there.")
    tab.page.check("#voice-af_bella")
    tab.page.locator("#part-af_bella").fill("20")
    tab.page.select_option("#format", form)
    assert '"voice":"af_heart(1)+af_bella(2)"' in tab.text("request")
    with tab.page.expect_download() as waiting:
        tab.page.click("#download")
    content = waiting.value.path().read_bytes()
    assert waiting.value.suggested_filename == f"speech.{form}"
    if form in ("srt", "vtt"):
        assert "Hello there." in content.decode()
    elif form == "pcm":
        assert len(content) > 24_000
    else:
        samples, rate = soundfile.read(io.BytesIO(content))
        assert len(samples) / rate > 0.5


@pytest.mark.parametrize(("text", "words"), [("", "Type a text first."), ("...", "nothing to pronounce")])
def test_a_text_without_words_is_answered_with_a_reason(tab, text, words):
    tab.type(text)
    tab.page.click("#speak" if not text else "#read")
    assert words in tab.error()
    tab.forget_complaints("status of 422")
    assert tab.page.get_attribute("#text", "aria-invalid") == "true" or text
    tab.type("All is well.")
    assert tab.listen()["loudest"] > 0.1
    assert tab.text("error") == ""


def test_marks_stay_with_their_words_and_nothing_stays_grey(tab):
    text = 'He said: "Hello (there)!" \u2026 Go \u2013 now!?'
    tab.type(text)
    tab.listen()
    assert tab.text("transcript") == text
    assert tab.page.inner_text("#transcript .rest") == ""
    assert tab.page.locator("#transcript .together").all_inner_texts() == (
        ["He", "said:", '"Hello', '(there)!"', "Go", "now!?"]
    )


@pytest.mark.parametrize("width", range(200, 400, 40))
def test_no_line_begins_with_a_mark(tab, width):
    tab.page.set_viewport_size({"width": width, "height": 900})
    tab.type("Wait! Stop! Hello! There! Robot! Again! Enough!")
    tab.listen()
    apart = tab.page.eval_on_selector_all(
        "#transcript .together", "groups => groups.filter((group) => group.getClientRects().length > 1).length"
    )
    assert apart == 0


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
        with server.client.stream("POST", "/synthesize", json={"text": LONG, "stream": True, "format": "pcm"}) as busy:
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
