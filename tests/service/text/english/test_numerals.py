import pytest
from service.text.english.numerals import parse


@pytest.mark.parametrize(
    ("figures", "opening", "inside", "suffix"),
    [
        ("7", "seven", "seven", ""),
        ("21", "twenty one", "twenty one", ""),
        ("747", "seven hundred forty seven", "seven forty seven", ""),
        ("105", "one hundred five", "one O five", ""),
        ("200", "two hundred", "two hundred", ""),
        ("1984", "nineteen eighty four", "nineteen eighty four", ""),
        ("10000", "ten thousand", "one zero zero zero zero", ""),
        ("007", "seven", "zero zero seven", ""),
        ("2nd", "second", "second", ""),
        ("2.5", "two point five", "two five", ""),
        (".5", "point five", "five", ""),
        ("1.20.305", "one twenty three zero five", "one twenty three zero five", ""),
        ("-4", "minus four", None, ""),
        ("80s", "eighty", "eighty", "s"),
        ("86'd", "eighty six", "eighty six", "'d"),
        ("x", None, None, ""),
        (".", None, None, ""),
        ("2x", None, None, ""),
    ],
)
def test_figures_are_read_by_their_place(figures, opening, inside, suffix):
    for opens, words in ((True, opening), (False, inside)):
        numeral = parse(figures, opens=opens)
        assert (numeral and (" ".join(numeral.words), numeral.suffix)) == (words and (words, suffix))
