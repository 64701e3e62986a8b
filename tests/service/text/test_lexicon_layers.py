"""Lexicons of requests, and lexicons laid over each other."""

import pytest
from hypothesis import strategies as st

from service.errors import InvalidLexiconError, InvalidTextError
from service.text import FrontEnd, UserLexicon, parse
from service.text.lexicon_entries import MAX_PRONUNCIATION_LENGTH, MAX_WORD_LENGTH, MAX_WORDS
from service.text.markup import Passage
from service.text.offset_mapping import TracedText
from tests.profiles import given
from tests.service.text.test_user_lexicon import applied


def read(front_end, text, lexicon=None):
    (passage,) = parse(text)
    assert isinstance(passage, Passage)
    readings = front_end.read(passage, "en-us", lexicon=lexicon)
    return " ".join(reading.phonemes for reading in readings)


def test_a_request_gives_words_or_phonemes_in_any_case_and_every_language():
    lexicon = UserLexicon.of_words({"Kokoro": "/kˈOkəɹO/", "and/or": "either or", "tmp": "/tmp"})
    for language in ("en-us", "hi"):
        assert applied(lexicon, "KOKORO and/or kokoros tmp", language) == ("/kˈOkəɹO/ either or kokoros /tmp")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"": "a"}, "the text is empty"),
        ({"a": " "}, "'a': the text is empty"),
        ({"a": "//"}, r"\('a'\): phonemes is empty"),
        ({"a": "/ˈ/"}, r"\('a'\): the phonemes 'ˈ' make no sound"),
        ({"a": "/k@/"}, r"\('a'\): '@' .* is not a phoneme"),
        ({"a": "b", "A": "c"}, r"\('A'\): an earlier entry has the same word"),
        ({"a" * (MAX_WORD_LENGTH + 1): "b"}, "has 65 characters; the limit is 64"),
        ({"a": "b" * (MAX_PRONUNCIATION_LENGTH + 1)}, "has 129 characters; the limit is 128"),
        ({"a": "b\0"}, r"'a': control character U\+0000"),
        ({"\ud800": "b"}, r"lone surrogate U\+D800"),
        ({f"a{n}": "b" for n in range(MAX_WORDS + 1)}, "65 words; the limit is 64"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_word_and_the_reason(words, reason):
    with pytest.raises(InvalidLexiconError, match=f"^the lexicon.*{reason}"):
        UserLexicon.of_words(words)


def test_as_much_as_is_allowed_is_allowed():
    words = {f"{n:0{MAX_WORD_LENGTH}}": "b" * MAX_PRONUNCIATION_LENGTH for n in range(MAX_WORDS)}
    assert len(list(UserLexicon.of_words(words).respellings)) == MAX_WORDS


def test_the_upper_lexicon_wins_wherever_both_have_something_to_say():
    upper = UserLexicon.of_words({"York": "Jork", "tea": "/tˈi/"})
    lower = UserLexicon.of_words({"New York": "Nyoo York", "tea": "coffee", "milk": "cream"})
    assert applied(upper.over(lower), "New York tea, milk") == "New Jork /tˈi/, cream"
    assert applied(lower.over(upper), "New York tea, milk") == "Nyoo York coffee, cream"
    # Neither of them has changed.
    assert applied(upper, "New York tea, milk") == "New Jork /tˈi/, milk"
    third = UserLexicon.of_words({"milk": "water", "York": "Pork"})
    assert applied(third.over(upper.over(lower)), "York tea milk") == "Pork /tˈi/ water"
    empty = UserLexicon()
    for same in (upper.over(empty), empty.over(upper)):
        assert applied(same, "York") == "Jork"


WORDS = st.sampled_from(["New", "York", "tea", "a b", "東京"])


@given(
    st.lists(st.one_of(WORDS, st.sampled_from([" ", ", ", "x"])), max_size=12).map("".join),
    st.lists(st.dictionaries(WORDS, st.sampled_from(["one", "two words", "/tˈi/"])), max_size=3),
)
def test_any_text_keeps_its_offset_mapping_under_any_lexicons(text, layers):
    lexicon = UserLexicon()
    for words in layers:
        lexicon = UserLexicon.of_words(words).over(lexicon)
    new, overrides = lexicon.apply(TracedText(text), "en-us")
    spans = [new[index : index + 1].span for index in range(len(new))]
    assert spans == sorted(spans)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    ends = [(override.start, override.end) for override in overrides]
    assert ends == sorted(ends)


def test_a_text_is_read_by_its_own_lexicon_over_that_of_the_front_end():
    front_end = FrontEnd(lexicon=UserLexicon.of_words({"tea": "coffee", "milk": "cream"}))
    own = UserLexicon.of_words({"tea": "water"})
    assert read(front_end, "tea, milk", own) == read(FrontEnd(), "water, cream")
    assert read(front_end, "tea, milk") == read(FrontEnd(), "coffee, cream")


def test_markup_in_a_text_wins_over_every_lexicon():
    own = UserLexicon.of_words({"tea": "water"})
    assert read(FrontEnd(), "[tea](/tˈi/) tea", own) == read(FrontEnd(), "[tea](/tˈi/) water")


def test_words_are_found_in_the_text_as_it_was_sent():
    own = UserLexicon.of_words({"BBC": "bee bee cee", "5G": "/fˈIv ʤˈi/"})
    (passage,) = parse("The BBC has 5G now.")
    assert isinstance(passage, Passage)
    (reading,) = FrontEnd().read(passage, "en-us", lexicon=own)
    said = ["The BBC has 5G now."[word.text_start : word.text_end] for word in reading.words]
    assert [word for word in said if word in ("BBC", "5G", "now")] == ["BBC", "5G", "now"]


def test_what_a_respelling_has_that_cannot_be_read_is_found_before_anything_is_said():
    (passage,) = parse("tea")
    assert isinstance(passage, Passage)
    front_end = FrontEnd(strict=True)
    front_end.check(passage, "en-us", lexicon=UserLexicon.of_words({"tea": "thé"}))
    with pytest.raises(InvalidTextError, match="U\\+13A0"):
        front_end.check(passage, "en-us", lexicon=UserLexicon.of_words({"tea": "Ꭰ"}))
