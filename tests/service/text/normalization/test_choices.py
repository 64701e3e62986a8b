"""What a caller can choose about text normalization."""

import pytest

from service.text import FrontEnd, Normalization, Passage, TracedText

URL = "https://www.example.com/a?b=1, example.org/path, jo@example.com"
CODE = "Run this:\n\n```sh\nrm -rf build\n```\n\nThen wait."


@pytest.fixture(scope="module")
def front_end():
    return FrontEnd(emoji="name")


def written(front_end, text, language="en-us", **choices):
    readings = front_end.read(Passage(TracedText(text)), language, normalization=Normalization(**choices))
    return " ".join(" ".join(reading.normalized for reading in readings).split())


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        (
            URL,
            {},
            "example dot com slash A question mark B equals one, example dot org slash path, jo at example dot com",
        ),
        (URL, {"urls": "short"}, "example dot com, example dot org, jo at example dot com"),
        (URL, {"urls": "skip"}, ", , jo at example dot com"),
        ("It is done 🎉.", {"emoji": "skip"}, "It is done."),
        ("It is done 🎉.", {"emoji": "name"}, "It is done party popper."),
        ("It is done 🎉.", {}, "It is done party popper."),
        ("A *very* good day.", {}, "A very good day."),
        (CODE, {"code": "skip"}, "Run this: Then wait."),
        ("Before.\n~~~\nx = 1\n~~~\nBetween.\n```\ny = 2", {"code": "skip"}, "Before. Between."),
        ("> ```\n> x = 1\n> ```\n> Quoted.", {"code": "skip"}, "Quoted."),
        ("Type `ls` now.", {"code": "skip"}, "Type ls now."),
        ("```one``` line.", {"code": "skip"}, "one line."),
        ("Room 1024, A12B.", {"numbers_as": "digits"}, "Room one zero two four, A one two B."),
        ("On 12/05 at 9:30.", {"numbers_as": "digits"}, "On one two, zero five at nine, three zero."),
        ("The 21st of 100.", {"numbers_as": "digits"}, "The twenty first of one zero zero."),
    ],
)
def test_english(front_end, text, choices, expected):
    assert written(front_end, text, **choices).replace("-", " ") == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("es", "Sala uno cero dos."),
        ("fr", "Sala un zéro deux."),
        ("it", "Sala uno zero due."),
        ("pt-br", "Sala um zero dois."),
    ],
)
def test_digits_in_other_languages(front_end, language, expected):
    assert written(front_end, "Sala 102.", language, numbers_as="digits") == expected


def test_digits_in_scripts_without_spaces(front_end):
    assert written(front_end, "房间102号。", "zh", numbers_as="digits") == "房间一零二号。"


def test_without_markdown_the_marks_stay(front_end):
    assert "*" in written(front_end, "A *very* good day.", markdown=False)


@pytest.mark.parametrize(
    ("text", "choices", "lost"),
    [
        (CODE, {"code": "skip"}, ["```sh\nrm -rf build\n```"]),
        ("See https://example.com/a now.", {"urls": "skip"}, ["https://example.com/a"]),
    ],
)
def test_what_is_not_read_is_told(front_end, text, choices, lost):
    passage = Passage(TracedText(text))
    readings = list(front_end.read(passage, "en-us", normalization=Normalization(**choices)))
    told = (span for reading in readings for span in reading.dropped)
    missing = "".join(text[start:end] for start, end in told)
    assert [*filter(str.isalnum, missing)] == [*filter(str.isalnum, "".join(lost))]


def test_words_keep_their_places_after_skipped_code(front_end):
    passage = Passage(TracedText(CODE))
    readings = front_end.read(passage, "en-us", normalization=Normalization(code="skip"))
    words = [CODE[word.text_start : word.text_end] for reading in readings for word in reading.words]
    assert words == ["Run", "this", "Then", "wait"]


def test_a_long_open_fence_is_found_quickly(front_end):
    text = "```\n" + "code `x`\n```python\n" * 2_000
    assert written(front_end, f"Start.\n{text}", code="skip").startswith("Start.")
