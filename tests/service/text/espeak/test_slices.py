from __future__ import annotations

from collections.abc import Callable

import pytest

from service.errors import InvalidTextError
from service.text.espeak.slices import read_in_pieces
from service.text.offset_mapping import TracedText


def heard(text: str, read: Callable[[str], str]) -> str:
    return " ".join(piece.ipa for piece in read_in_pieces(TracedText(text), read))


def echo(piece: str) -> str:
    return piece


def test_short_text_is_read_at_once() -> None:
    asked: list[str] = []
    heard("a few words", lambda piece: asked.append(piece) or "")
    assert asked == ["a few words"]


@pytest.mark.parametrize(
    "text", [" ".join(["word"] * 5000), "漢" * 5000, "ab" * 2500, " ".join(["b"] * 2000)]
)
def test_nothing_is_lost_and_no_piece_is_long(text: str) -> None:
    pieces: list[str] = []

    def read(piece: str) -> str:
        pieces.append(piece)
        return piece

    assert heard(text, read).replace(" ", "") == text.replace(" ", "")
    assert max(map(len, pieces)) <= 250


def test_words_stay_whole() -> None:
    assert heard("tomato " * 1000, echo) == " ".join(["tomato"] * 1000)


def test_an_answer_as_long_as_espeaks_tables_is_read_again_in_halves() -> None:
    def read(piece: str) -> str:  # one phoneme table of 600, 100 per word
        return " ".join(["x" * 100] * len(piece.split()))[:600]

    assert len(heard("a b c d e f g h i j", read).replace(" ", "")) == 1000


def test_a_word_too_long_is_cut_between_letters_not_before_their_marks() -> None:
    def read(piece: str) -> str:
        return piece + "x" * 60 * len(piece)

    answers = heard("कि" * 4, read).replace("x", "")
    assert answers == "कि कि कि कि"


def refuse(*refused: str) -> Callable[[str], str]:
    def read(piece: str) -> str:
        if any(part in piece for part in refused):
            raise InvalidTextError(piece)
        return piece

    return read


@pytest.mark.parametrize(
    ("text", "refused", "pieces"),
    [
        ("one two three four", ["two three"], ["one two", "three four"]),
        ("one a-b-c four", ["a-b"], ["one", "a-", "b-c", "four"]),
        ("a's's's", ["s's's"], ["a'", "s'", "s's"]),
        ("-a", ["-a"], ["-", "a"]),
    ],
)
def test_what_is_refused_is_read_in_parts(text: str, refused: list[str], pieces: list[str]) -> None:
    read = read_in_pieces(TracedText(text), refuse(*refused))
    assert [piece.ipa for piece in read] == pieces


@pytest.mark.parametrize("word", ["two", "t-ẃo", "-"])
def test_a_word_that_is_refused_in_all_its_parts_is_refused(word: str) -> None:
    with pytest.raises(InvalidTextError) as caught:
        read_in_pieces(TracedText(f"one {word} three"), refuse(word[-1]))
    assert caught.value.message == word.rpartition("-")[2] or word


def test_long_numbers_are_read_digit_by_digit() -> None:
    assert heard("7" * 18, echo) == "7" * 18
    assert heard("x" + "7" * 19, echo) == "x" + " ".join("7" * 19)
    assert heard("3." + "7" * 13, echo) == "3." + " ".join("7" * 13)


@pytest.mark.parametrize(
    "text", ["tomato " * 100, "ab" * 400, "x x x x x x", "no 1.2.3.4.5.6.7.8.9.10.11.12.13.14"]
)
def test_pieces_know_where_they_were_cut(text: str) -> None:
    pieces = read_in_pieces(TracedText(text), echo)
    parts = [text[slice(*piece.text.span)] for piece in pieces]
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(piece.ipa.split()[0] in part for piece, part in zip(pieces, parts, strict=True))


def test_digits_read_one_by_one_come_from_their_number() -> None:
    (piece,) = read_in_pieces(TracedText("is " + "7" * 19 + "!"), echo)
    assert piece.text.text == "is " + " ".join("7" * 19) + "!"
    assert [piece.text[start : start + 1].span for start in (3, 21, 39)] == [(3, 22)] * 3
    assert piece.text.span == (0, 23)


def test_what_is_read_as_nothing_is_left_out() -> None:
    assert read_in_pieces(TracedText("hm"), lambda piece: "") == []
