import re
import unicodedata

import pytest
from hypothesis import strategies as st

from service.text.offset_mapping import TracedText, concatenate
from tests.profiles import given


def origins(text, caller):
    """Return the part of the caller's text that each character stands for."""
    return [caller[slice(*text[at : at + 1].span)] for at in range(len(text))]


def test_a_text_maps_to_itself():
    assert origins(TracedText("añ😀"), "añ😀") == ["a", "ñ", "😀"]
    assert TracedText("añ😀").span == (0, 3)
    assert TracedText("añ😀")[1:].span == (1, 3)


def test_a_number_in_words_has_the_span_of_the_whole_number():
    caller = "It costs $5.50 today"
    spelled = TracedText(caller).sub(re.compile(r"\$(\d+)\.(\d+)"), lambda match: "five dollars fifty")
    assert spelled.text == "It costs five dollars fifty today"
    assert [caller[slice(*word.span)] for word in spelled.matches(re.compile(r"\S+"))] == [
        "It",
        "costs",
        "$5.50",
        "$5.50",
        "$5.50",
        "today",
    ]


def test_a_traced_replacement_keeps_its_own_spans():
    caller = TracedText("on 5kg!")

    def spell(match):
        number, unit = caller[match.start(1) : match.end(1)], caller[match.start(2) : match.end(2)]
        return concatenate([number.rewritten("five"), unit.rewritten(" kilograms")])

    spelled = caller.sub(re.compile(r"(\d+)(kg)"), spell)
    assert spelled.text == "on five kilograms!"
    assert spelled[3:7].span == (3, 4)
    assert spelled[8:17].span == (4, 6)
    assert spelled[17:].span == (6, 7)


def test_rewritings_can_follow_each_other():
    text = TracedText("x  ½ﬁ\u200b ").translate({0xFB01: "fi", 0x200B: ""})
    text = text.sub(re.compile("½"), lambda match: "a half ").folded()
    assert text.text == "x a half fi"
    assert origins(text, "x  ½ﬁ\u200b ") == ["x", "  ", *"½½½½½½½", "ﬁ", "ﬁ"]


def test_an_empty_text_has_no_span():
    with pytest.raises(ValueError, match="no span"):
        _ = TracedText("").span
    with pytest.raises(ValueError, match="no span"):
        TracedText("ab").sub(re.compile("(?=b)"), lambda match: "-")


def test_white_space_is_stripped_and_folded():
    text = TracedText(" \ta \n b\u00a0")
    assert text.stripped().text == "a \n b"
    assert text.stripped().span == (2, 7)
    assert text.folded().text == "a b"
    assert text.folded()[1:2].span == (3, 6)
    assert TracedText(" \n").folded().text == ""


LATIN = "aeK\u0301\u0316\u0327\u0323\u0344\u0345\u212b \n"
JOINING = LATIN + "\u1100\u1161\u11a8각\u0915\u093c\u0958\u09c7\u09be"


@given(text=st.one_of(st.text(max_size=12), st.text(alphabet=JOINING, max_size=12)))
def test_composition_is_unicodes_and_never_joins_white_space(text):
    composed = TracedText(text).composed()
    assert composed.text == unicodedata.normalize("NFC", text)
    for character, origin in zip(composed.text, origins(composed, text), strict=True):
        assert character.isspace() == origin.isspace()
        assert unicodedata.normalize("NFD", character)[0] in unicodedata.normalize("NFD", origin)


@given(text=st.text(alphabet="ab ①", max_size=20), rewritten=st.sampled_from(["", "x", "two words"]))
def test_offsets_never_go_backwards(text, rewritten):
    changed = TracedText(text).sub(re.compile("a+|①"), lambda match: rewritten).folded()
    spans = [changed[at : at + 1].span for at in range(len(changed))]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
