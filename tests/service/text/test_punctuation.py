import pytest

from service.text.characters import clean_text
from service.text.offset_mapping import TracedText
from service.text.punctuation import ends_sentence, space, split
from service.text.spans import Override, Span


def a_span(token):
    return Span(TracedText(token), is_mark=not token.isalpha())


def shown(text):
    """Return the spans as text, with words between bars."""
    return " ".join(
        span.text.text if span.is_mark else f"|{span.text.text}|" for span in split(clean_text(TracedText(text)))
    )


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Hello, world!", "|Hello| , |world| !"), ("a; b: c. d? e", "|a| ; |b| : |c| . |d| ? |e|"),
        ("one,two", "|one| , |two|"),
        # Not punctuation: numbers, times, addresses, abbreviations, initials.
        ("3.14, 1,000 and 12:30.", "|3.14| , |1,000 and 12:30| ."),
        (".5 is half", "|.5 is half|"),
        ("example.com; me@x.org.", "|example.com| ; |me@x.org| ."),
        ("see https://a.b/c?d=e, ok", "|see https://a.b/c?d=e| , |ok|"),
        ("Dr. Who and Mrs. Hill, etc. and so on", "|Dr. Who and Mrs. Hill| , |etc. and so on|"),
        ("J. R. R. Tolkien", "|J. R. R. Tolkien|"), ("It was I. You knew", "|It was I| . |You knew|"),
        ("the U.S. Army, e.g. here", "|the U.S. Army| , |e.g. here|"),
        ("No. 5. No. Yes", "|No. 5| . |No| . |Yes|"),
        # The dot of an abbreviation that also ends the sentence.
        ("in the U.S.", "|in the U.S.| ."), ("at 7 p.m. The end", "|at 7 p.m.| . |The end|"),
        ('he said "etc."', "|he said| “ |etc.| . ”"), ("end.Next", "|end| . |Next|"),
        # Dashes.
        ("a - b -- c – d—e", "|a| — |b| — |c| — |d| — |e|"), ("well-known non‑stop −5", "|well-known non-stop -5|"),
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
        ("[a] {b} (c)", "( |a| ) ( |b| ) ( |c| )"), ("¿Qué? ¡No!", "|Qué| ? |No| !"), ("क। ख॥", "|क| . |ख| ."),
        ("你好，世界。好、吗", "|你好| , |世界| . |好| , |吗|"),
        # Lines.
        ("Title\nText goes on\nhere", "|Title| . |Text goes on here|"),
        ("Title\n\ntext.", "|Title| . |text| ."), ("Dear Ann,\n\nHi", "|Dear Ann| , |Hi|"),
        ("(aside)\nNext", "( |aside| ) . |Next|"), ("“Stop.”\nNext", "“ |Stop| . ” |Next|"),
        ("last line\n", "|last line|"),
    ],
)  # fmt: skip
def test_split(text, spans):
    assert shown(text) == spans


def test_lines_wrapped_at_a_column_are_one_sentence():
    line = "a line that a mail program has wrapped at a column of about"
    assert shown(f"{line}\nSeventy characters") == f"|{line} Seventy characters|"


@pytest.mark.parametrize(
    ("spans", "text"),
    [
        ("a , b ! c", "a, b! c"), ("a ( b ) c", "a (b) c"), ("“ a , ” b", "“a,” b"), ("a — b", "a — b"),
        ("( “ a ” ) .", "(“a”)."), ("a ? ! “ b", "a?! “b"), ("a , , b", "a, b"), ("… a", "… a"),
    ],
)  # fmt: skip
def test_marks_are_spaced_as_in_print(spans, text):
    tokens = spans.split()
    assert "".join(space(tokens, [a_span(token) for token in tokens])) == text


def test_spacing_passes_over_words_without_phonemes():
    spans = [a_span(token) for token in ("a", ",", "b", ",")]
    assert space(["a", ",", "", ","], spans) == ["a", ",", "", ""]


def test_words_that_are_joined_in_the_text_are_joined_in_speech():
    spans = [a_span("a"), a_span("b")._replace(joined=True), a_span("c")]
    assert "".join(space("abc", spans)) == "ab c"


def test_words_with_an_override_are_their_own_span():
    text = "Ask Kokoro's e.g. now. Yes."
    overrides = [Override(4, 10, "x"), Override(13, 17, "y")]
    spans = split(TracedText(text), overrides)
    assert [(span.text.text, span.override, span.joined) for span in spans] == [
        ("Ask", None, False),
        ("Kokoro", overrides[0], False),
        ("'s", None, True),
        ("e.g.", overrides[1], False),
        ("now", None, False),
        (".", None, False),
        ("Yes", None, False),
        (".", None, False),
    ]


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("Hi,  there \n", ["Hi", ",", "there"]),
        ("« où »", ["«", "où", "»"]),
        ("he said 'yes, I do'", ["he said", "'", "yes", ",", "I do", "'"]),
        ("in the U.S.", ["in the U.S.", "."]),
        ("Title\n\nText", ["Title", "\n\n", "Text"]),
        ("¿Qué?... Ａ。", ["Qué", "?", "...", "Ａ", "。"]),
    ],
)
def test_spans_keep_their_offset_mapping(text, origins):
    spans = split(clean_text(TracedText(text)))
    assert [text[slice(*span.text.span)] for span in spans] == origins


@pytest.mark.parametrize(
    ("text", "after_dot", "answer"),
    [
        ("It ends. The", 8, True), ("Dr. Who", 3, False), ("J. Smith", 2, False), ("vitamin C. is", 10, True),
        ("No. 5", 3, False), ("No. Yes", 3, True), ("etc. The", 4, True), ("etc. and", 4, False),
        ("U.S. Army", 4, False), ("(e.g. this", 5, False),
    ],
)  # fmt: skip
def test_a_dot_is_a_full_stop_or_an_abbreviations(text, after_dot, answer):
    assert ends_sentence(text, after_dot, is_whole=True) is answer
    assert ends_sentence(text, after_dot, is_whole=False) is answer


@pytest.mark.parametrize("text", ["J. ", "No. ", "etc. ", "U.S. “"])
def test_what_follows_an_abbreviation_may_have_to_be_waited_for(text):
    assert ends_sentence(text, text.index(" "), is_whole=False) is None
    assert ends_sentence(text, text.index(" "), is_whole=True) is not None
