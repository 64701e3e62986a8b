import pytest
from service.text.normalization.english.numbers import Numbers, plural
from service.text.normalization.english.romans import value

_AMERICAN = Numbers(british=False)
_BRITISH = Numbers(british=True)


@pytest.mark.parametrize(
    ("digits", "american", "british"),
    [
        ("0", "zero", "zero"),
        ("21", "twenty-one", "twenty-one"),
        ("105", "one hundred five", "one hundred and five"),
        ("1,001", "one thousand one", "one thousand and one"),
        ("007", "zero zero seven", "zero zero seven"),
        ("1" + "0" * 15, "one" + " zero" * 15, "one" + " zero" * 15),
    ],
)
def test_cardinals(digits, american, british):
    assert _AMERICAN.cardinal(digits) == american
    assert _BRITISH.cardinal(digits) == british


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1", "first"),
        ("12", "twelfth"),
        ("20", "twentieth"),
        ("101", "one hundred first"),
        ("1" + "0" * 15, "one" + " zero" * 15 + "th"),
    ],
)
def test_ordinals(digits, words):
    assert _AMERICAN.ordinal(digits) == words


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1984", "nineteen eighty-four"),
        ("1900", "nineteen hundred"),
        ("1905", "nineteen oh five"),
        ("2000", "two thousand"),
        ("2005", "two thousand five"),
        ("2010", "twenty ten"),
        ("1066", "ten sixty-six"),
        ("79", "seventy-nine"),
    ],
)
def test_years(digits, words):
    assert _AMERICAN.year(digits) == words


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("66", "sixty-six"),
        ("101", "one oh one"),
        ("221", "two twenty-one"),
        ("300", "three hundred"),
        ("1600", "sixteen hundred"),
        ("2000", "two thousand"),
        ("10001", "ten thousand one"),
    ],
)
def test_numbers_in_pairs(digits, words):
    assert _AMERICAN.paired(digits) == words


@pytest.mark.parametrize(
    ("number", "words"), [("3.14", "three point one four"), ("0.05", "zero point zero five"), ("7", "seven")]
)
def test_decimals_are_exact(number, words):
    assert _AMERICAN.decimal(number) == words


def test_a_british_decimal_starts_with_nought():
    assert _BRITISH.decimal("0.5") == "nought point five"


@pytest.mark.parametrize(("word", "words"), [("ninety", "nineties"), ("six", "sixes"), ("twenty-two", "twenty-twos")])
def test_plurals(word, words):
    assert plural(word) == words


@pytest.mark.parametrize(
    ("numeral", "number"), [("I", 1), ("IV", 4), ("XIV", 14), ("LVIII", 58), ("MCMXCIV", 1994), ("MMXXIV", 2024)]
)
def test_roman_numerals_have_values(numeral, number):
    assert value(numeral) == number


@pytest.mark.parametrize("numeral", ["", "IIII", "VX", "IM", "MIX" + "X" * 3 + "L", "IC"])
def test_what_is_not_written_as_a_roman_numeral_has_no_value(numeral):
    assert value(numeral) is None
