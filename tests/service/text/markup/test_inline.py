import pytest
from hypothesis import strategies as st

from service.errors import MarkupError
from service.text.markup import Passage, Pause, inline
from service.text.spans import Override
from tests.profiles import given


def texts(written):
    """Return the text of each passage and the seconds of each pause."""
    return [part.duration_s if isinstance(part, Pause) else part.text.text for part in inline.parse(written)]


def only(written):
    (passage,) = inline.parse(written)
    assert isinstance(passage, Passage)
    return passage


def overrides(written):
    """Return the words of each override in the caller's text, with phonemes and stress."""
    return [(written[o.start : o.end], o.phonemes, o.stress) for o in only(written).overrides]


def test_plain_text_is_one_passage_as_it_stands():
    written = "  Hello there.\n\nHow are you? "
    passage = only(written)
    assert passage == Passage(passage.text)
    assert passage.text.text == written


def test_phonemes_are_those_of_the_words_in_brackets():
    written = "Say [Kokoro](/kˈOkəɹO/) now."
    passage = only(written)
    assert passage.text.text == "Say Kokoro now."
    assert passage.overrides == (Override(5, 11, phonemes="kˈOkəɹO"),)
    assert passage.text.within(5, 11) == (4, 10)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[New York](/nu jˈɔɹk/)", [("New York", "nu jˈɔɹk", 0)]),
        ("[ word ]( / kˈæt  dˈɔɡ / )", [("word", "kˈæt dˈɔɡ", 0)]),
        ("[😀](/smˈIl/)", [("😀", "smˈIl", 0)]),
        ("[a](+1)[b](-2) [c](+0.5)", [("a", None, 1), ("b", None, -2), ("c", None, 0.5)]),
        ("[never](−1.5)", [("never", None, -1.5)]), ("[the\nword](+2)", [("the\nword", None, 2)]),
        ("[Stop! Now.](+1)", [("Stop", None, 1), ("Now", None, 1)]),
        ("[the U.S. Army](+1)", [("the U.S. Army", None, 1)]),
        ("[3.5 km, 1,000](+1)", [("3.5 km", None, 1), ("1,000", None, 1)]),
        ("[今天，好](+1)", [("今天", None, 1), ("好", None, 1)]), ("[word](+0)", []), ("[...](+1)", []),
        ("[a [b](+1) c]", [("b", None, 1)]), ("**[bold](+1)**", [("bold", None, 1)]),
    ],
)  # fmt: skip
def test_words_in_brackets_get_overrides(written, expected):
    assert overrides(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Wait[pause:1.5s]for it", ["Wait", 1.5, "for it"]),
        ("[pause:500ms] Hello. ", [0.5, " Hello. "]),
        ("[pause:1s] \n [pause:2s]", [1.0, 2.0]),
        ("[PAUSE: .25 s ]", [0.25]),
        ("[pause:0s][pause:60s][pause:60000ms]", [0.0, 60.0, 60.0]),
        ("  \n", []),
    ],
)
def test_pauses_stand_between_passages(written, expected):
    assert texts(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[voice:af_sky]Hi[/voice]", [("af_sky", "Hi")]),
        ("A [VOICE: a(2)+b ]b [/Voice]c", [(None, "A "), ("a(2)+b", "b "), (None, "c")]),
        ("[voice:a]b [voice:c]d[/voice] e[/voice]", [("a", "b "), ("c", "d"), ("a", " e")]),
        ("[voice:a][/voice]b", [(None, "b")]),
        (r"\[voice:a] and \[/voice]", [(None, r"\[voice:a] and \[/voice]")]),
        ("[voice:a](b) [c](+1)[/voice]", [("a", "(b) c")]),
        ("[voice] [/ voice]", [(None, "[voice] [/ voice]")]),
    ],
)
def test_tags_set_the_voice(written, expected):
    parts = [part for part in inline.parse(written) if isinstance(part, Passage)]
    assert [(part.voice_settings.voice, part.text.text) for part in parts] == expected


def test_a_part_of_a_text_goes_on_with_the_voices_before_it():
    parts = ["One [voice:a]two.", "three [voice:b]four.", "five[/voice] six[/voice] seven."]
    voices = ()
    said = []
    for part in parts:
        for passage in inline.parse(part, voices):
            assert isinstance(passage, Passage)
            said.append((passage.voice_settings.voice, passage.text.text))
        voices = inline.voices_after(part, voices)
    assert said == [
        (None, "One "), ("a", "two."), ("a", "three "), ("b", "four."),
        ("b", "five"), ("a", " six"), (None, " seven."),
    ]  # fmt: skip
    assert voices == ()


def test_a_pause_has_the_span_of_its_markup():
    assert inline.parse("é😀[pause:1s]")[1:] == [Pause(1.0, 2, 12)]


def test_passages_after_a_pause_keep_their_spans():
    written = "Wait.[pause:1s] [Now](+1) go."
    passage = inline.parse(written)[-1]
    assert isinstance(passage, Passage)
    assert passage.text.text == " Now go."
    assert passage.overrides == (Override(17, 20, stress=1),)
    assert passage.text.span == (15, len(written))


@pytest.mark.parametrize(
    "written",
    [
        "[sic] [1] [ ] [] ()", "array[0](x) and f[x](y + 1) and m[a][b](c)",
        "[docs](https://x.y/z/) ![image](a.png) [a](/) [b](/a/b/) [c](//x.y/z/) [d](#e)",
        "[docs](/about) [docs](/sobre-nós/)x".replace("ó", "o"), '[docs](/guide/ "The guide")',
        "[le](façon) [Serviços](/serviços) [f](θ) [x](β + 1)",
        "[note](+ more) [a](+) [b](++1) [c](+1x) [d](1+) [e](+12) [g](+15551234567)",
        "[word] (+1) and [word]\n(/kˈæt/)", "[word](+1\n) and [word](/kˈæt/",
        r"\[word](+1) and \[pause:x] and [word\](+1)", "[pause] [paused:1s] [ pause:1s] pause:1s]",
        "[x](/getting-started/) [y](/a_b/)", "](",
    ],
)  # fmt: skip
def test_what_only_looks_like_markup_is_text(written):
    passage = only(written)
    assert passage.text.text == written
    assert not passage.overrides


@pytest.mark.parametrize(
    ("written", "reason", "position"),
    [
        ("Hello [pause:abc]", "'abc' is not a duration", 14), ("[pause:-1s]", "'-1s' is not a duration", 8),
        ("[pause:1,5s]", "'1,5s' is not a duration", 8), ("[pause:١s]", "is not a duration", 8),
        ("[pause:99s]", "longer than 60 seconds", 8),
        ("[pause:" + "9" * 400 + "s]", "longer than 60 seconds", 8),
        ("a [pause:1s", "no closing bracket", 3), ("a [pause:1\ns]", "no closing bracket", 3),
        ("[rate:]a", "is not a rate", 7), ("[rate:9]a", "beyond the limit", 7), ("a [rate:1", "no closing bracket", 3),
        ("[voice:a]b[/voice] c[/voice]", r"no \[voice:\.\.\.\] before it", 21),
        ("a [voice:b", "no closing bracket", 3), ("[voice: ]a[/voice]", "no name", 1),
        ("[word](/k@/)", r"'@' \(U\+0040\)", 10), ("é😀 [word](/ kæ1 /)", r"'1' \(U\+0031\)", 15),
        ("[word](//)", "no phonemes", 9), ("[word](/ /)", "no phonemes", 9), ("[word](/ˈ, ː/)", "make no sound", 9),
        ("[word](/kæt)", "between two slashes", 8), ("[word](kæt/)", "between two slashes", 8),
        ("[word](kˈat)", "between two slashes", 8), ("[word](/ˈat)", "between two slashes", 8),
        ("[word](+3)", "steps of 0.5", 8), ("[word]( -0.3)", "steps of 0.5", 9), ("x [](/kæt/)", "no words", 3),
        ("x [\u200b ](+1)", "no words", 3), ("word](+1)", "no opening bracket", 5),
        ("[[word](/kæt/)](+1)", "no opening bracket", 15), ("[a\n\nb](+1)", "no opening bracket", 6),
    ],
)  # fmt: skip
def test_wrong_markup_is_refused_with_its_place(written, reason, position):
    with pytest.raises(MarkupError, match=rf"{reason}.*, at position {position} of the text$"):
        inline.parse(written)


SNIPPETS = st.sampled_from(
    [
        *("[", "]", "(", ")", "/", "\\", "+1", "[pause:", "1s", "](/", "/)", "](+1)", "kˈæt"),
        *(" ", "\n", "word", "é", "😀", ".", "\u200b", "[word](/kˈæt/)", "[pause:2s]", "a, b"),
        *("[voice:", "[voice:a]", "[/voice]"),
    ]
)


@given(st.lists(st.one_of(SNIPPETS, st.text(max_size=3)), max_size=20).map("".join))
def test_any_text_is_parsed_or_refused(written):
    try:
        parts = inline.parse(written)
    except MarkupError:
        return
    end = 0
    for part in parts:
        if isinstance(part, Pause):
            start, last = part.start, part.end
        else:
            start, last = part.text.span
            for index, character in enumerate(part.text.text):
                place, _ = part.text[index : index + 1].span
                assert written[place] == character
            overrides = [start, *(at for o in part.overrides for at in (o.start, o.end)), last]
            assert overrides == sorted(overrides)
            assert all(o.start < o.end for o in part.overrides)
        assert end <= start < last
        end = last


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a [voice:b]c", [("a ", None, 1), ("c", "b", 1)]),
        ("[voice:b]c [voice:d]e [/voice]f", [("c ", "b", 1), ("e ", "d", 1), ("f", "b", 1)]),
        ("a [rate:0.5]b [rate:200%]c [/rate]d", [("a ", None, 1), ("b ", None, 0.5), ("c ", None, 2), ("d", None, 1)]),
        ("[rate:2]a [voice:b]c [rate:0.5]d [/voice]e",
         [("a ", None, 2), ("c ", "b", 1), ("d ", "b", 0.5), ("e", None, 2)]),
    ],
)  # fmt: skip
def test_voices_and_rates_last_to_the_next_tag(text, expected):
    assert [
        (part.text.text, part.voice_settings.voice, part.voice_settings.rate) for part in inline.parse(text)
    ] == expected


@pytest.mark.parametrize("text", ["[voice:b]c [/voice]d", "[rate:0.5]a", "a [/voice] b [/rate]"])
def test_without_tags_of_voices_they_are_text(text):
    (passage,) = inline.parse(text, has_voices=False)
    assert passage.text.text == text


PIECES = st.lists(
    st.sampled_from(["[voice:a]", "[voice:b]", "[/voice]", "[rate:0.5]", "[rate:2]", "[/rate]", "x ", "y"]), max_size=12
)


@given(PIECES, PIECES)
def test_a_text_in_two_parts_is_said_as_in_one(before, after):
    first, second = "".join(before), "".join(after)
    manners = lambda parts: [  # noqa: E731
        (letter, part.voice_settings.voice, part.voice_settings.rate) for part in parts for letter in part.text.text
    ]
    try:
        whole = manners(inline.parse(first + second))
        cut = manners(inline.parse(first)) + manners(inline.parse(second, inline.voices_after(first)))
    except MarkupError:
        return
    assert [manner for manner in whole if manner[0] != " "] == [manner for manner in cut if manner[0] != " "]
