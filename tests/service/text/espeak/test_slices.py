import pytest

from service.errors import InvalidTextError
from service.text.espeak.slices import read_in_slices
from service.text.offset_mapping import TracedText


def heard(text, read):
    return " ".join(part.ipa for part in read_in_slices(TracedText(text), read))


def echo(part):
    return part


def test_short_text_is_read_at_once():
    asked = []
    heard("a few words", lambda part: asked.append(part) or "")
    assert asked == ["a few words"]


@pytest.mark.parametrize("text", [" ".join(["word"] * 5000), "漢" * 5000, "ab" * 2500, " ".join(["b"] * 2000)])
def test_nothing_is_lost_and_no_slice_is_long(text):
    slices = []

    def read(part):
        slices.append(part)
        return part

    assert heard(text, read).replace(" ", "") == text.replace(" ", "")
    assert max(map(len, slices)) <= 250


def test_words_stay_whole():
    assert heard("tomato " * 1000, echo) == " ".join(["tomato"] * 1000)


def test_an_answer_as_long_as_espeaks_tables_is_read_again_in_halves():
    def read(part):  # one phoneme table of 600, 100 per word
        return " ".join(["x" * 100] * len(part.split()))[:600]

    assert len(heard("a b c d e f g h i j", read).replace(" ", "")) == 1000


def test_a_word_too_long_is_cut_between_letters_not_before_their_marks():
    def read(part):
        return part + "x" * 60 * len(part)

    answers = heard("कि" * 4, read).replace("x", "")
    assert answers == "कि कि कि कि"


def refuse(*refused):
    def read(part):
        if any(word in part for word in refused):
            raise InvalidTextError(part)
        return part

    return read


@pytest.mark.parametrize(
    ("text", "refused", "slices"),
    [
        ("one two three four", ["two three"], ["one two", "three four"]),
        ("one a-b-c four", ["a-b"], ["one", "a-", "b-c", "four"]),
        ("a's's's", ["s's's"], ["a'", "s'", "s's"]),
        ("-a", ["-a"], ["-", "a"]),
    ],
)
def test_what_is_refused_is_read_in_parts(text, refused, slices):
    read = read_in_slices(TracedText(text), refuse(*refused))
    assert [part.ipa for part in read] == slices


@pytest.mark.parametrize("word", ["two", "t-ẃo", "-"])
def test_a_word_that_is_refused_in_all_its_parts_is_refused(word):
    with pytest.raises(InvalidTextError) as caught:
        read_in_slices(TracedText(f"one {word} three"), refuse(word[-1]))
    assert caught.value.message == word.rpartition("-")[2] or word


def test_long_numbers_are_read_digit_by_digit():
    assert heard("7" * 18, echo) == "7" * 18
    assert heard("x" + "7" * 19, echo) == "x" + " ".join("7" * 19)
    assert heard("3." + "7" * 13, echo) == "3." + " ".join("7" * 13)


@pytest.mark.parametrize("text", ["tomato " * 100, "ab" * 400, "x x x x x x", "no 1.2.3.4.5.6.7.8.9.10.11.12.13.14"])
def test_slices_know_where_they_were_cut(text):
    slices = read_in_slices(TracedText(text), echo)
    sources = [text[slice(*part.text.span)] for part in slices]
    assert "".join("".join(sources).split()) == "".join(text.split())
    assert all(part.ipa.split()[0] in source for part, source in zip(slices, sources, strict=True))


def test_digits_read_one_by_one_come_from_their_number():
    (part,) = read_in_slices(TracedText("is " + "7" * 19 + "!"), echo)
    assert part.text.text == "is " + " ".join("7" * 19) + "!"
    assert [part.text[start : start + 1].span for start in (3, 21, 39)] == [(3, 22)] * 3
    assert part.text.span == (0, 23)


def test_what_is_read_as_nothing_is_left_out():
    assert read_in_slices(TracedText("hm"), lambda part: "") == []
