"""The page speaks, stops, reads and downloads."""

import io
from operator import sub
from statistics import median

import pytest
import soundfile


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
