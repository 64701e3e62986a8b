from __future__ import annotations

import pytest

from service.text.pieces import read_in_pieces


def echo(piece: str) -> str:
    return piece


def test_short_text_is_read_at_once() -> None:
    asked: list[str] = []
    read_in_pieces("a few words", lambda piece: asked.append(piece) or "")
    assert asked == ["a few words"]


@pytest.mark.parametrize(
    "text", [" ".join(["word"] * 5000), "漢" * 5000, "ab" * 2500, " ".join(["b"] * 2000)]
)
def test_nothing_is_lost_and_no_piece_is_long(text: str) -> None:
    pieces: list[str] = []

    def read(piece: str) -> str:
        pieces.append(piece)
        return piece

    assert read_in_pieces(text, read).replace(" ", "") == text.replace(" ", "")
    assert max(map(len, pieces)) <= 250


def test_words_stay_whole() -> None:
    assert read_in_pieces("tomato " * 1000, echo) == " ".join(["tomato"] * 1000)


def test_an_answer_as_long_as_espeaks_tables_is_read_again_in_halves() -> None:
    def read(piece: str) -> str:  # one phoneme table of 600, 100 per word
        return " ".join(["x" * 100] * len(piece.split()))[:600]

    assert len(read_in_pieces("a b c d e f g h i j", read).replace(" ", "")) == 1000


def test_a_word_too_long_is_cut_between_letters_not_before_their_marks() -> None:
    def read(piece: str) -> str:
        return piece + "x" * 60 * len(piece)

    answers = read_in_pieces("कि" * 4, read).replace("x", "")
    assert answers == "कि कि कि कि"


def test_long_numbers_are_read_digit_by_digit() -> None:
    assert read_in_pieces("7" * 18, echo) == "7" * 18
    assert read_in_pieces("x" + "7" * 19, echo) == "x" + " ".join("7" * 19)
    assert read_in_pieces("3." + "7" * 13, echo) == "3." + " ".join("7" * 13)
