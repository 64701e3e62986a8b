from __future__ import annotations

import pytest

from service.text.characters import clean_text
from service.text.punctuation import Span, join, split


def shown(text: str) -> str:
    """Return the spans as text, words between bars, so that a test shows which is which."""
    return " ".join(span.text if span.is_mark else f"|{span.text}|" for span in split(text))


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Hello, world!", "|Hello| , |world| !"),
        ("a; b: c. d? e", "|a| ; |b| : |c| . |d| ? |e|"),
        ("one,two", "|one| , |two|"),
        # Not punctuation: numbers, times, addresses, abbreviations, initials.
        ("3.14, 1,000 and 12:30.", "|3.14| , |1,000 and 12:30| ."),
        (".5 is half", "|.5 is half|"),
        ("example.com; me@x.org.", "|example.com| ; |me@x.org| ."),
        ("see https://a.b/c?d=e, ok", "|see https://a.b/c?d=e| , |ok|"),
        ("Dr. Who and Mrs. Hill, etc. and so on", "|Dr. Who and Mrs. Hill| , |etc. and so on|"),
        ("J. R. R. Tolkien", "|J. R. R. Tolkien|"),
        ("It was I. You knew", "|It was I| . |You knew|"),
        ("the U.S. Army, e.g. here", "|the U.S. Army| , |e.g. here|"),
        ("No. 5. No. Yes", "|No. 5| . |No| . |Yes|"),
        # An abbreviation's dot that ends the sentence as well.
        ("in the U.S.", "|in the U.S.| ."),
        ("at 7 p.m. The end", "|at 7 p.m.| . |The end|"),
        ('he said "etc."', "|he said| “ |etc.| . ”"),
        ("end.Next", "|end| . |Next|"),
        # Dashes.
        ("a - b -- c – d—e", "|a| — |b| — |c| — |d| — |e|"),
        ("well-known non‑stop −5", "|well-known non-stop -5|"),
        ("- one\n- two", "|one| . |two|"),
        # Runs.
        ("Wait... what?! No!!! . . . ok", "|Wait| … |what| ? ! |No| ! … |ok|"),
        # Quotes and apostrophes.
        ('say "hi" to ("you")', "|say| “ |hi| ” |to| ( “ |you| ” )"),
        ("“a” «b» ‹c› „d“ ‟e”", "“ |a| ” “ |b| ” “ |c| ” “ |d| ” “ |e| ”"),
        ("don’t the dogs’ 'tis rock ’n’ roll", "|don't the dogs' 'tis rock 'n' roll|"),
        ("he said 'hello there, don't' and", "|he said| “ |hello there| , |don't| ” |and|"),
        ("‘yes,’ she said", "“ |yes| , ” |she said|"),
        ("the '90s were 5'10\" tall", "|the '90s were 5'10\" tall|"),
        # Brackets and other scripts.
        ("[a] {b} (c)", "( |a| ) ( |b| ) ( |c| )"),
        ("¿Qué? ¡No!", "|Qué| ? |No| !"),
        ("क। ख॥", "|क| . |ख| ."),
        ("你好，世界。好、吗", "|你好| , |世界| . |好| , |吗|"),
        # Lines.
        ("Title\nText goes on\nhere", "|Title| . |Text goes on here|"),
        ("Title\n\ntext.", "|Title| . |text| ."),
        ("Dear Ann,\n\nHi", "|Dear Ann| , |Hi|"),
        ("(aside)\nNext", "( |aside| ) . |Next|"),
        ("“Stop.”\nNext", "“ |Stop| . ” |Next|"),
        ("last line\n", "|last line|"),
    ],
)
def test_split(text: str, spans: str) -> None:
    assert shown(clean_text(text)) == spans


def test_lines_wrapped_at_a_column_are_one_sentence() -> None:
    line = "a line that a mail program has wrapped at a column of about"
    assert shown(f"{line}\nSeventy characters") == f"|{line} Seventy characters|"


@pytest.mark.parametrize(
    ("spans", "text"),
    [
        ("a , b ! c", "a, b! c"),
        ("a ( b ) c", "a (b) c"),
        ("“ a , ” b", "“a,” b"),
        ("a — b", "a — b"),
        ("( “ a ” ) .", "(“a”)."),
        ("a ? ! “ b", "a?! “b"),
        ("a , , b", "a, b"),
        ("… a", "… a"),
    ],
)
def test_join_spaces_marks_as_in_print(spans: str, text: str) -> None:
    assert join(Span(token, not token.isalpha()) for token in spans.split()) == text


def test_join_passes_over_words_without_phonemes() -> None:
    assert join([Span("a", False), Span(",", True), Span("", False), Span(",", True)]) == "a,"
