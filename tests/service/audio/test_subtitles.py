import itertools
import re

import pytest
from hypothesis import strategies as st

from service.audio import SRT_MEDIA_TYPE, VTT_MEDIA_TYPE, Cue, ass, cues_of_words, srt, vtt
from tests.profiles import given


def spoken(text, word_s=0.3, rest_s=0.05):
    """Every word of the text, one after the other, at an even pace."""
    words = []
    for number, match in enumerate(re.finditer(r"\w+(?:['.,]\w+)*", text)):
        start_s = number * (word_s + rest_s)
        words.append((match.start(), match.end(), start_s, start_s + word_s))
    return words


def texts(text, **limits):
    return [cue.text for cue in cues_of_words(spoken(text), text, **limits)]


def test_subrip_counts_its_cues_and_webvtt_has_a_header_and_points_in_its_times():
    assert (SRT_MEDIA_TYPE, VTT_MEDIA_TYPE) == ("application/x-subrip", "text/vtt")
    assert (srt([]), vtt([])) == ("", "WEBVTT\n")
    cues = [Cue(1.5, 2.0004, "One."), Cue(3661.0, 3661.9996, "Two.")]
    assert srt(cues) == "1\n00:00:01,500 --> 00:00:02,000\nOne.\n\n2\n01:01:01,000 --> 01:01:02,000\nTwo.\n\n"
    cues = [Cue(0, 1.5, "One."), Cue(1.5, 360_000.25, "Two.")]
    assert vtt(cues) == "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nOne.\n\n00:00:01.500 --> 100:00:00.250\nTwo.\n"


def test_a_cue_has_one_text_of_lines_without_markup_and_ends_after_it_starts():
    assert vtt([Cue(0, 1, "a < b && c > d --> <i>e</i>")]).splitlines()[-1] == (
        "a &lt; b &amp;&amp; c &gt; d --&gt; &lt;i&gt;e&lt;/i&gt;"
    )
    text = "\n\nfirst\r\n\r\n  second\u2028third\n"
    assert srt([Cue(0, 1, text)]).splitlines()[2:] == ["first second third", ""]
    assert vtt([Cue(0, 1, text)]).splitlines()[3:] == ["first second third"]
    cues = [Cue(0, 1, " \n"), Cue(1, 2, "here")]
    assert srt(cues).startswith("1\n00:00:01,000")
    assert vtt(cues).count("-->") == 1
    assert "00:00:01.000 --> 00:00:01.001" in vtt([Cue(1.0, 1.0, "click")])
    for text in ("a --> b", "a ----> b", "00:00:00,000 --> 00:00:01,000"):
        assert [write([Cue(0, 1, text)]).count("-->") for write in (srt, vtt)] == [1, 1]


@pytest.mark.parametrize("cues", [
    [Cue(-0.1, 1, "a")], [Cue(2, 1, "a")], [Cue(float("nan"), 1, "a")], [Cue(0, float("inf"), "a")],
    [Cue(2, 3, "a"), Cue(1, 2, "b")],
])  # fmt: skip
def test_times_out_of_order_are_refused(cues):
    for write in (srt, vtt):
        with pytest.raises(ValueError, match="not in order"):
            write(cues)


CUES = [
    ('“Well,” he said. "Really?" (Yes!)  It is\n\n3.5 miles away…  ', {},
     ["“Well,” he said.", '"Really?"', "(Yes!)", "It is 3.5 miles away…"]),
    ("¿Qué tal? ¡Bien! Vraiment ? Oui — «non».", {}, ["¿Qué tal?", "¡Bien!", "Vraiment ?", "Oui — «non»."]),
    ("Dr. Jones met J. R. R. Tolkien. They spoke.", {}, ["Dr. Jones met J. R. R. Tolkien.", "They spoke."]),
    # A long sentence is cut at its last comma that fits, else between words; a word stays whole.
    ("one two, three four, five six seven", {"max_characters": 24}, ["one two, three four,", "five six seven"]),
    ("one two three four five", {"max_characters": 9}, ["one two", "three", "four five"]),
    ("a floccinaucinihilipilification b", {"max_characters": 10}, ["a", "floccinaucinihilipilification", "b"]),
]  # fmt: skip


def test_every_sentence_is_a_cue_with_its_marks_or_several_if_it_is_long():
    assert not [(text, found) for text, limits, wanted in CUES if (found := texts(text, **limits)) != wanted]
    words = [(0, 2, 0.0, 0.4), (4, 6, 0.8, 1.2)]
    assert [cue.text for cue in cues_of_words(words, "他说。“你好”。")] == ["他说。", "“你好”。"]


def test_a_cue_lasts_no_longer_than_told():
    text = "one two three four five six seven"
    cues = cues_of_words(spoken(text), text, max_duration_s=1.0)
    assert [cue.text for cue in cues] == ["one two three", "four five six", "seven"]
    assert all(cue.end_s - cue.start_s <= 1.0 for cue in cues)


def test_silences_and_overlaps_end_a_cue_and_a_word_in_parts_is_shown_once():
    text = "one two three"
    words = [(0, 3, 0.0, 0.3), (4, 7, 1.2, 1.5), (8, 13, 2.6, 3.0)]
    assert cues_of_words(words, text) == [Cue(0.0, 1.5, "one two"), Cue(2.6, 3.0, "three")]
    words = [(0, 3, 0.0, 0.9), (5, 8, 0.5, 1.0)]
    assert cues_of_words(words, "One. Two.") == [Cue(0.0, 0.5, "One."), Cue(0.5, 1.0, "Two.")]
    words = [(0, 6, 0.0, 4.0), (0, 6, 4.2, 9.0), (7, 10, 9.0, 9.3)]
    assert cues_of_words(words, "abcdef end") == [Cue(0.0, 9.0, "abcdef"), Cue(9.0, 9.3, "end")]


def test_words_from_the_middle_take_only_their_own_marks():
    text = 'First. "Second bit," he said. (Third) bit.'
    words = spoken(text)
    assert [cue.text for cue in cues_of_words(words[1:3], text)] == ['"Second bit,"']
    assert [cue.text for cue in cues_of_words(words[5:], text)] == ["(Third) bit."]
    assert cues_of_words([], text) == []


@given(
    text=st.text(st.sampled_from("abcDé1 \n.,;:!?…—-–\"'“”()«»¿<>&。、"), max_size=120),
    max_characters=st.integers(1, 40),
    max_duration_s=st.floats(0.1, 5),
)
def test_nothing_of_the_text_is_lost_and_no_time_goes_back(text, max_characters, max_duration_s):
    words = spoken(text)
    cues = cues_of_words(words, text, max_characters=max_characters, max_duration_s=max_duration_s)
    if words:
        assert "".join("".join(cue.text for cue in cues).split()) == "".join(text.split())
    for cue in cues:
        assert cue.start_s <= cue.end_s
        n_words = len(spoken(cue.text))
        fits = len(cue.text) <= max_characters and cue.end_s - cue.start_s <= max_duration_s
        assert fits or n_words == 1
    assert all(cue.end_s <= after.start_s for cue, after in itertools.pairwise(cues))
    assert srt(cues).count("-->") == vtt(cues).count("-->") == len(cues)


def test_words_of_a_line_light_up_one_after_the_other():
    lines = [
        [Cue(0.5, 0.8, "It"), Cue(0.9, 1.456, "{rained}\\N"), Cue(1.456, 2.0, " all  day.")],
        [], [Cue(2.0, 2.0, "  ")], [Cue(3661.0, 3661.0, "End.")],
    ]  # fmt: skip
    assert ass(lines).rpartition("Text\n")[2].splitlines() == [
        "Dialogue: 0,0:00:00.50,0:00:02.00,Default,,0,0,0,,{\\k40}It {\\k56}(rained)⧵N {\\k54}all day.",
        "Dialogue: 0,1:01:01.00,1:01:01.01,Default,,0,0,0,,{\\k1}End.",
    ]
