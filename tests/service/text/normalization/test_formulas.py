import pytest
from hypothesis import strategies as st
from service.text.normalization.formulas import RULES
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests.profiles import given

AMOUNTS = st.decimals(min_value=0, max_value=99_999, places=2).map(str) | st.integers(0, 999).map(str)


def written(text):
    return rewrite(TracedText(text), RULES).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1$, ($2$) and $-3.5$", "1, (2) and -3.5"),
        ("$x = 2$ or $ y < 3 $", "x = 2 or y < 3"),
        ("$(0, 1)$ $\\alpha_1$ $5\\%$ $n!$", "(0, 1) \\alpha_1 5\\% n!"),
        ("答案是$3$。", "答案是3。"),
        ("$5–6$ and $1.5 million$, $2 millones$", "5–6 and $1.5 million, $2 millones"),
    ],
)
def test_formulas_lose_their_dollars(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "5$, 6$",
        "5 $ - 6 $",
        "$5-$10, $20/$30",
        "US$5 A$6",
        "$HOME $PATH",
        "$5,$ or",
        "$1$2",
        "\\$5\\$",
        "$$5$$",
        "$a word$",
    ],
)
def test_other_dollars_stay(text):
    assert written(text) == text


@given(first=AMOUNTS, second=AMOUNTS, between=st.sampled_from([" and ", " - ", ", ", "-", "/", " ("]))
def test_two_amounts_are_no_formula(first, second, between):
    assert written(f"${first}{between}${second}") == f"${first}{between}${second}"
    assert written(f"{first}${between}{second}$") == f"{first}${between}{second}$"


@given(AMOUNTS)
def test_a_number_between_dollars_is_no_amount(number):
    assert written(f"It is ${number}$, not ${number}.") == f"It is {number}, not ${number}."
