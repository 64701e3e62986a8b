"""PDFs become paragraphs again."""

import pytest

from service.books import book_files
from service.books.book_files import read_book
from service.books.document_budget import Document
from service.books.ledger import Ledger
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


@pytest.mark.parametrize("size", [8, 11, 24])
@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        ("It is 10^{6} metres long.", "It is 10⁶ metres long."),
        ("It is 10^{23} metres long.", "It is 10²³ metres long."),
        ("It is 10^{-9} metres long.", "It is 10⁻⁹ metres long."),
        ("A room of 20 m^{2} is small.", "A room of 20 m² is small."),
        ("So x^{2} + y^{2} = z^{2}", "So x² + y² = z²"),
        ("It ended^{5} then.", "It ended then."),
        ("It ended.^{12} Then more.", "It ended. Then more."),
        ("He ruled in 1984^{3} and later.", "He ruled in 1984 and later."),
        ("The 1^{st} of 20^{th} century days.", "The 1st of 20th century days."),
        ("Drink H_{2}O every day.", "Drink H2O every day."),
        ("^{2} A line that begins so.", "2 A line that begins so."),
    ],
)
def test_raised_figures_are_powers_or_notes(drawn, said, size, tmp_path):
    path, ledger = pdf(tmp_path / "a.pdf", [[(drawn, 72, 700, size)]]), Ledger(keeps_texts=True)
    book = book_files.read(Document(path, path.name, ledger))
    assert [p.text for p in book.chapters[0].paragraphs] == [said]
    assert not ledger.unaccounted


def test_a_raised_mark_and_the_raised_number_of_its_note(tmp_path):
    lines = wrapped(RAIN)
    lines[1] += "^{5}"
    note = set_lines(["^{5} A note of the author."], top=80, height=8)
    book, found = read(tmp_path / "a.pdf", [[*set_lines(lines), *note]])
    assert found == [("text", RAIN), ("note", "5 A note of the author.")]
    assert [(one.reason, one.count) for one in book.omissions] == [("note mark", 1)]


HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"


@pytest.mark.parametrize(
    ("drawn", "said"), [(["רפס יל שי", "1984 תנשמ"], "יש לי ספר משנת 1984"), (["הלא English םילמ"], "מלים English אלה")]
)
def test_text_from_right_to_left_is_in_the_order_of_reading(drawn, said, tmp_path):
    path = pdf(tmp_path / "a.pdf", [set_lines(drawn, left=300)], letters=HEBREW + "םןךףץ")
    ledger = Ledger(keeps_texts=True)
    book = book_files.read(Document(path, path.name, ledger))
    assert [p.text for p in book.chapters[0].paragraphs] == [said]
    assert not ledger.unaccounted


def read_tagged(path, elements):
    """Read a PDF of one page, whose pieces have types of structure; return what is read and what is not."""
    lines = [line for _, own in elements for line in own]
    pdf(path, [lines], tags=[(kind, len(own)) for kind, own in elements])
    ledger = Ledger(keeps_texts=True)
    book = book_files.read(Document(path, path.name, ledger))
    assert not ledger.unaccounted
    return [(p.kind, p.text) for chapter in book.chapters for p in chapter.paragraphs], ledger.texts


def test_tags_tell_headings_paragraphs_notes_and_artifacts(tmp_path):
    first, second = wrapped(RAIN), wrapped(SNOW)
    found, left_out = read_tagged(
        tmp_path / "a.pdf",
        [
            ("Artifact", [("The sea and its towns", 72, 500, 11)]),
            ("H2", [("Of the weather", 72, 720, 11)]),
            ("P", set_lines(first)),
            ("P/Span", set_lines(second, top=700 - 14 * len(first))),
            ("LI/Lbl", [("1.", 72, 400, 11)]),
            ("LI/LBody/P", [("An item of the list", 90, 400, 11)]),
            ("Note", [("A note that is not small.", 72, 300, 11)]),
            ("Artifact", [("17", 300, 500, 11)]),
        ],
    )
    assert found == [
        ("heading", "Of the weather"), ("text", RAIN), ("text", SNOW), ("text", "1."),
        ("text", "An item of the list"), ("note", "A note that is not small."),
    ]  # fmt: skip
    assert left_out == [("running head", "The sea and its towns"), ("page number", "17")]


def test_the_order_of_tags_is_that_of_reading(tmp_path):
    """Though the lines of three columns are drawn from left to right."""
    columns = [set_lines(wrapped(words, 4), left) for words, left in ((RAIN, 40), (SNOW, 230), (RAIN, 420))]
    drawn = [(f"P#{n}", [line]) for row in zip(*columns, strict=False) for n, line in enumerate(row)]
    drawn += [(f"P#{n}", column[len(columns[2]) :]) for n, column in enumerate(columns) if column[len(columns[2]) :]]
    found, _ = read_tagged(tmp_path / "a.pdf", drawn)
    assert found == [("text", RAIN), ("text", SNOW), ("text", RAIN)]


def test_lines_that_are_called_paragraphs_are_joined(tmp_path):
    found, _ = read_tagged(tmp_path / "a.pdf", [("P", [line]) for line in set_lines(wrapped(RAIN))])
    assert found == [("text", RAIN)]


def test_an_artifact_that_is_prose_is_read(tmp_path):
    found, left_out = read_tagged(
        tmp_path / "a.pdf", [("Artifact", set_lines(wrapped(RAIN))), ("P", set_lines(["Yes."], top=500))]
    )
    assert ("text", RAIN) in found
    assert not left_out


def test_words_across_all_pages_are_read_once_at_most(tmp_path):
    pages = [[*set_lines(wrapped(words)), ("DRAFT ONLY", 200, 300, 40, 45)] for words in (RAIN, SNOW, RAIN)]
    book, found = read(tmp_path / "a.pdf", pages)
    assert found == [("text", words) for words in (RAIN, SNOW, RAIN)]
    assert [(one.reason, one.count) for one in book.omissions] == [("running head", 3)]
    book, found = read(tmp_path / "a.pdf", [[*set_lines(wrapped(RAIN)), ("Once only", 200, 300, 11, 90)]])
    assert found == [("text", RAIN), ("text", "Once only")]
