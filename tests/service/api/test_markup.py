"""Markdown is silent at every door: a text with it sounds as the same text without."""

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from tests.profiles import costly, given
from tests.service.api.elevenlabs.stream_socket import VOICE, StreamSocket, open_context, pipecat
from tests.service.api.speech_client import speak
from tests.service.api.websocket.sessions import config, spoken
from tests.service.api.wyoming.talks import Talk

WORDS = ("maple", "Rivers", "ochre", "slate", "Fern", "umber", "teal", "don't", "naïve")
SIGNS = [
    *[("**", "**"), ("*", "*"), ("***", "***"), ("__", "__"), ("_", "_"), ("~~", "~~"), ("==", "=="), ("`", "`")],
    *[("[", "](https://a.b/c.d)"), ("![", "](data:image/png;base64,AbC+/9)"), ("<b>", "</b>"), ("**_", "_**")],
]
BEFORE = [
    "- ",
    "* ",
    "> ",
    "- [ ] ",
    "  - ",
    "> - ",
    "<!-- a note. Or two. -->\n\n",
    "<think>\nHm. *So, well.\n\nYes.\n</think>\n\n",
]
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(" ".join)
LINE = st.lists(SENTENCE.map("{}.".format), min_size=1, max_size=3).map(" ".join)


@st.composite
def marked(draw):
    """Return lines with markup, which may go over several words and sentences, and the same without."""
    with_markup, without = [], []
    for line in draw(st.lists(LINE, min_size=1, max_size=3)):
        words = line.split()
        places = sorted(draw(st.sets(st.integers(0, len(words)), max_size=4)))
        for first, end in list(pairwise(places))[::2]:
            opening, closing = draw(st.sampled_from(SIGNS))
            words[first] = opening + words[first]
            words[end - 1] += closing
        with_markup.append(draw(st.sampled_from(["", *BEFORE])) + " ".join(words))
        without.append(line)
    return "\n\n".join(with_markup), "\n\n".join(without)


def parts_of(text, size):
    return [text[at : at + size] for at in range(0, len(text), size)]


SIZES = st.sampled_from([1, 3, 7, 40, 1_000])


@pytest.fixture(scope="module")
def wyoming(faulty):
    with Talk(faulty.uri) as client:
        yield client


@pytest.mark.thorough
@costly(5)
@given(texts=marked(), size=SIZES)
def test_wyoming_says_the_words_alone(wyoming, texts, size):
    with_markup, without = texts
    assert wyoming.say_in_parts(*parts_of(with_markup, size)) == wyoming.say_in_parts(without)
    assert wyoming.say(with_markup) == wyoming.say(without)


@costly(5)
@given(texts=marked(), size=SIZES)
def test_so_does_a_session_with_the_places_of_the_words(remembering, texts, size):
    with_markup, without = texts
    heard, expected = spoken(remembering, *parts_of(with_markup, size)), spoken(remembering, without)
    assert heard.pcm == expected.pcm
    words = [word for message in heard.of("audio") for word in message["words"]]
    said = [with_markup[word["text_start"] : word["text_end"]] for word in words]
    assert [one.strip("*_~=`[]<b>") for one in said] == without.replace(".", "").split()


@costly(5)
@given(texts=marked(), size=SIZES)
def test_so_do_the_sockets_of_elevenlabs_with_every_character(remembering, texts, size):
    heard = []
    for text, part in zip(texts, (size, 1_000), strict=True):
        with StreamSocket(remembering.url, VOICE) as socket:
            heard.append(socket.say(*parts_of(text, part)))
    assert heard[0].audio == heard[1].audio
    assert [one.text.lstrip() for one in heard] == [text.lstrip() for text in texts]  # a blank opens a text


@costly(5)
@given(texts=marked())
def test_so_do_the_doors_of_http(remembering, texts):
    openai = partial(remembering.client.post, "/v1/audio/speech")
    for stream in (False, True):
        heard = [speak(remembering, text=text, format="pcm", stream=stream) for text in texts]
        assert heard[0].content == heard[1].content
    heard = [openai(json={"input": text, "model": "x", "voice": "alloy", "response_format": "pcm"}) for text in texts]
    assert heard[0].content == heard[1].content


def test_emphasis_goes_on_from_message_to_message_in_auto_mode(remembering):
    heard = []
    for sign in ("*", ""):
        with pipecat(remembering) as socket:
            open_context(socket, "a")
            thought = ("<think>", "Well, *no.", "</think>") if sign else ()
            for sentence in (*thought, f"{sign}He nods slowly.", f"Then he **sits down.{sign}", "So it ends**."):
                socket.send(text=sentence if sign else sentence.replace("**", ""), context_id="a")
            socket.send(context_id="a", flush=True)
            socket.send(context_id="a", close_context=True)
            heard.append(socket.until_final("a").audio)
            socket.close()
    assert heard[0] == heard[1]
    assert heard[0]


def test_a_thought_is_skipped_and_never_a_silence(remembering, wyoming):
    thought = "<think>\n" + "Let me see, then. Well, no.\n" * 40 + "</think>\n\n"
    talk = spoken(remembering, *parts_of(f"{thought}Good day.", 7))
    assert set(talk.kinds) == {"ready", "skipped", "audio", "done"}
    assert talk.kinds[-2:] == ["audio", "done"]
    spans = [talk.text[m["text_start"] : m["text_end"]] for m in talk.of("skipped", "audio")]
    assert "".join(spans) == talk.text
    assert wyoming.say_in_parts(*parts_of(f"{thought}Good day.", 7)) == wyoming.say_in_parts("Good day.")


def test_a_text_of_nothing_but_signs_is_answered_as_before(remembering, wyoming):
    assert spoken(remembering, "***", "\n", "---\n").kinds == ["ready", "skipped", "done"]
    assert wyoming.say_in_parts("***") == bytes(2 * 4_800)


def test_choices_hold_for_the_text_after_them(remembering):
    thought = "<think>Well.</think>\n```\nx = 1\n```\n*Yes.*\n"
    talk = spoken(
        remembering, config(), thought, config(normalize={"reasoning": "read", "code": "skip"}), thought,
        config(normalize={"markdown": False}), thought,
    )  # fmt: skip
    assert [m["type"] for m in talk.of("ready")] == ["ready"] * 4
    words = []
    for message in talk.received:
        if message["type"] == "ready":
            words.append([])
        elif message["type"] == "audio":
            words[-1] += [word["text"] for word in message["words"]]
    assert words[1] == ["x = 1", "Yes"]
    assert words[2] == ["Well", "Yes"]
    assert "think" in " ".join(words[3])
