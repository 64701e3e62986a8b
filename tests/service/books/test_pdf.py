"""PDFs become paragraphs again."""

import pytest

from service.books.book_files import read_book
from service.errors import InvalidBookError
from tests.service.books.made_books import pdf, set_lines
from tests.service.books.reading_processes import text

RAIN = "It was a dark and stormy night and the old captain said that no ship would leave the harbour before dawn."
SNOW = "Nobody slept in the town below the hill where the snow had fallen since the first day of the long winter."


def wrapped(words, n=8):
    words = words.split()
    return [" ".join(words[at : at + n]) for at in range(0, len(words), n)]


def read(path, pages, **more):
    book = read_book(pdf(path, pages, **more))
    return book, [(p.kind, p.text) for chapter in book.chapters for p in chapter.paragraphs]


def test_lines_become_paragraphs_over_the_ends_of_pages(tmp_path):
    first, second = wrapped(RAIN)[:2], wrapped(RAIN)[2:]
    pages = [set_lines(wrapped(SNOW)) + set_lines(first, top=600), set_lines(second)]
    assert read(tmp_path / "a.pdf", pages)[1] == [("text", SNOW), ("text", RAIN)]


def test_lines_that_are_set_in_or_short_begin_and_end_paragraphs(tmp_path):
    lines = set_lines(wrapped(SNOW))
    below = [(words, 84 if n == 0 else 72, lines[-1][2] - 14 * (n + 1), 11) for n, words in enumerate(wrapped(RAIN))]
    assert read(tmp_path / "a.pdf", [lines + below])[1] == [("text", SNOW), ("text", RAIN)]
    short = [(words, 72, one[2], 11) for words, one in zip(wrapped(RAIN), below, strict=False)]
    assert read(tmp_path / "a.pdf", [lines + short])[1] == [("text", SNOW), ("text", RAIN)]


@pytest.mark.parametrize("is_in_order", [True, False])
@pytest.mark.parametrize("heading", ["", "The snow of the first long winter on the hill"])
def test_columns_are_read_one_after_the_other(heading, is_in_order, tmp_path):
    left, right = (set_lines(wrapped(f"{words} {words}", 5), side) for words, side in ((RAIN, 72), (SNOW, 330)))
    mixed = [line for both in zip(left, right, strict=False) for line in both] + right[len(left) :] + left[len(right) :]
    pages = [[(heading, 72, 740, 16)] * bool(heading) + (left + right if is_in_order else mixed)]
    found = read(tmp_path / "a.pdf", pages)[1]
    assert found == [("heading", heading)] * bool(heading) + [("text", f"{RAIN} {RAIN}"), ("text", f"{SNOW} {SNOW}")]


@pytest.mark.parametrize("number", ["{}", "- {} -", "Page {}", "{} of 300"])
@pytest.mark.parametrize("head", ["THE SEA", "THE SEA   {}", "The Sea | {}", "Chapter One"])
def test_running_heads_and_numbers_of_pages_are_left_out_and_told(head, number, tmp_path):
    pages = [
        [(head.format(n), 72, 760, 9), *set_lines(wrapped(f"{words} {words}")), (number.format(n), 300, 30, 9)]
        for n, words in enumerate((RAIN, SNOW, RAIN, SNOW), 11)
    ]
    book, found = read(tmp_path / "a.pdf", pages)
    assert found == [("text", f"{words} {words}") for words in (RAIN, SNOW, RAIN, SNOW)]
    assert [(one.reason, one.count) for one in book.omissions] == [("page number", 4), ("running head", 4)]


def test_notes_at_the_foot_do_not_break_sentences(tmp_path):
    first, second = wrapped(RAIN)[:2], wrapped(RAIN)[2:]
    first[1] += "5"
    note = set_lines(
        ["5 A note of the author that is long enough", "to go on in another line."], top=80, height=8, gap=10
    )
    book, found = read(tmp_path / "a.pdf", [[*set_lines(first), *note], set_lines(second)])
    assert found == [("text", RAIN), ("note", "5 A note of the author that is long enough to go on in another line.")]
    assert [(one.reason, one.count) for one in book.omissions] == [("note mark", 1)]


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["This is an exam-", "ple of it."], "This is an example of it."),
        (["A well-known man was well-", "known there."], "A well-known man was well-known there."),
        (["An Anglo-", "Saxon word."], "An Anglo-Saxon word."),
        (["It remem-", "bers more than it forgets."], "It remembers more than it forgets."),
    ],
)
def test_broken_words_are_joined(lines, joined, tmp_path):
    assert read(tmp_path / "a.pdf", [set_lines(lines)])[1] == [("text", joined)]


def test_chapters_begin_where_the_outline_says_or_at_large_letters(tmp_path):
    pages = [[(f"Day {n}", 72, 740, 20), *set_lines(wrapped(words))] for n, words in enumerate((RAIN, SNOW, RAIN), 1)]
    book, found = read(tmp_path / "a.pdf", pages)
    assert [chapter.title for chapter in book.chapters] == ["Day 1", "Day 2", "Day 3"]
    assert found[:2] == [("heading", "Day 1"), ("text", RAIN)]
    outline = [("Monday", 0), ("Tuesday", 1), ("Wednesday", 2)]
    book, _ = read(tmp_path / "a.pdf", pages, outline=outline)
    assert [chapter.title for chapter in book.chapters] == ["Monday", "Tuesday", "Wednesday"]


def test_ligatures_are_letters_and_items_are_paragraphs(tmp_path):
    items = ["• one of them", "• two of them", "1. and three", "2. and four"]
    found = read(tmp_path / "a.pdf", [set_lines([*items, "The last paragraph."])])[1]
    assert [words for _, words in found][:3] == items[:3]


def test_little_text_is_read(tmp_path):
    assert read(tmp_path / "a.pdf", [set_lines(["Hi."]), [], set_lines(["Bye."])])[1] == [
        ("text", "Hi."),
        ("text", "Bye."),
    ]


def test_scans_and_damaged_files_are_refused_with_advice(tmp_path):
    with pytest.raises(InvalidBookError, match="OCR"):
        read(tmp_path / "a.pdf", [None, None, None])
    with pytest.raises(InvalidBookError, match="OCR"):
        read(tmp_path / "a.pdf", [set_lines(["Scanned by Ann"])] + [None] * 20)
    for content in (b"", b"%PDF", b"PK\x03\x04" * 9, b"%PDF-1.7\n" + b"\xff" * 999):
        with pytest.raises(InvalidBookError, match="no PDF"):
            read_book(text(tmp_path / "b.pdf", content))
    book, _ = read(tmp_path / "a.pdf", [set_lines(wrapped(RAIN)), None, set_lines(wrapped(SNOW)), []])
    assert book.notes == ("pages that are pictures, whose text is not read: 2",)
