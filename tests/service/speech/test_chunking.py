from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.speech.chunking import MAX_PIECE_LENGTH, split


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
