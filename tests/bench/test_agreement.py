"""Sentences of the Brown corpus are joined as they were written."""

import pytest
from bench.agreement import draw, joined, words
from bench.normalizers import score


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("The/at jury/nn said/vbd ,/, ``/`` No/at evidence/nn ''/'' ./.", 'The jury said, "No evidence".'),
        ("(/( It/pps did/dod not/* ?/. ?/. )/)", "(It did not?)"),
        ("either/or/cc", "either/or"),
    ],
)
def test_words_and_marks_are_joined(line, sentence):
    assert list(joined(line)) == [sentence]


@pytest.mark.parametrize("line", ["", "Highway/nn-hl bill/nn-hl", "x/nn *y/nn", "a/at &/cc b/nn"])
def test_headlines_and_formulas_are_left_out(line):
    assert not list(joined(line))


def test_the_same_sentences_are_drawn(tmp_path):
    for number in range(3):
        line = f"This/dt is/bez sentence/nn number/nn {number}/cd of/in three/cd ./.\n"
        (tmp_path / f"ca0{number}").write_text(line)
    drawn = draw(tmp_path, 2)
    assert len(drawn) == 2
    assert draw(tmp_path, 2) == drawn
    with pytest.raises(ValueError, match="3 sentences"):
        draw(tmp_path, 4)


def test_marks_do_not_count():
    found = score(["ɐ kˈæt.", "ɐ dˈɔɡ"], ["ɐ kˈæt!", "ðə dˈɔɡ"], words)
    assert (found.exact, found.n_texts, found.wrong, found.n_words) == (1, 2, 1, 4)
