from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.speech.chunking import MAX_PIECE_LENGTH, split, split_early


def without_spaces(text: str) -> str:
    return "".join(text.split())


def test_what_fits_stays_whole() -> None:
    assert split("həlˈO, wˈɜɹld. həlˈO.") == ["həlˈO, wˈɜɹld. həlˈO."]
    assert split("a" * 250) == ["a" * 250]


def test_blank_phonemes_have_no_pieces() -> None:
    assert split("") == split("  \n ") == []


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("aa bb, cc dd. ee ff", ["aa bb, cc dd.", "ee ff"]),  # sentence before phrase
        ("aa bb, cc dd; ee ff", ["aa bb, cc dd;", "ee ff"]),  # clause before phrase
        ("aa bb cc, dd ee ff", ["aa bb cc,", "dd ee ff"]),  # phrase before word
        ("aaaa bbbb cccc dddd", ["aaaa bbbb", "cccc dddd"]),  # words
        ("“aa bb cc.” dd ee ff", ["“aa bb cc.”", "dd ee ff"]),  # quotes stay with their sentence
        ("abcdefghijklmnop", ["abcdefgh", "ijklmnop"]),  # nowhere else to cut
    ],
)
def test_the_best_boundary_is_taken(text: str, pieces: list[str]) -> None:
    assert split(text, 15) == pieces


def test_pieces_of_prose_are_of_similar_length() -> None:
    text = "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˌOvəɹ ðə lˈAzi dˈɔɡ. " * 40
    pieces = split(text)
    assert all(piece.endswith(".") for piece in pieces)
    assert min(map(len, pieces)) > MAX_PIECE_LENGTH / 4
    assert max(map(len, pieces)) <= MAX_PIECE_LENGTH


@given(st.text("aˈb .,;—!?”", max_size=2000), st.integers(2, 60))
def test_nothing_is_lost_and_every_piece_fits(text: str, max_length: int) -> None:
    pieces = split(text, max_length)
    assert without_spaces("".join(pieces)) == without_spaces(text)
    assert all(0 < len(piece) <= max_length for piece in pieces)
    assert all(piece.strip() for piece in pieces)


SENTENCE = "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˌOvəɹ ðə lˈAzi dˈɔɡ. "
"""48 phonemes without the space."""


def test_early_pieces_begin_short_and_grow() -> None:
    lengths = [len(piece) for piece in split_early(SENTENCE * 20)]
    assert lengths[0] == 48
    assert all(later >= sooner for sooner, later in pairwise(lengths[:4]))
    assert 100 < max(lengths) <= 150
    # Nobody waits for the next piece, where a second of speech is made in half a second.
    for number in range(1, len(lengths)):
        assert 0.5 * sum(lengths[1 : number + 1]) <= sum(lengths[:number])


def test_what_is_said_soon_stays_whole() -> None:
    assert split_early(SENTENCE) == [SENTENCE.strip()]
    assert split_early("a" * 90) == ["a" * 90]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ab " * 10 + "ab. " + "ab " * 60, ("ab " * 11).strip() + "."),  # the sentence
        ("ab, " * 30 + "ab. ab", ("ab, " * 8).strip()),  # else a phrase, the nearest
        ("ab " * 100, ("ab " * 10).strip()),  # else a word
        ("a" * 200, "a" * 60),  # else anywhere
    ],
)
def test_the_first_early_piece_ends_at_the_nearest_good_place(text: str, first: str) -> None:
    assert split_early(text)[0] == first


@given(st.text("aˈb .,;—!?”", max_size=2000))
def test_early_pieces_lose_nothing_either(text: str) -> None:
    pieces = split_early(text)
    assert without_spaces("".join(pieces)) == without_spaces(text)
    assert all(0 < len(piece) <= 150 for piece in pieces)
    assert all(piece == piece.strip() for piece in pieces)
