from __future__ import annotations

import itertools

import pytest

from service.text.normalization.english.stars import rules
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText


def written(text: str, *, british: bool = False) -> str:
    return rewrite(TracedText(text), rules(british=british)).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sh*t, f***! (b*tch)", "S, F! (B)"),
        ("f**k “d*mn” 'h*ll'", "F “D” 'H'"),
        ("a**hole bull**** bulls**t", "A hole bull bull S"),
        ("f*cking f***ed f*ck's", "F ing F ed F's"),
        ("SH*T F*** s*** sh** a**", "S F S S A"),
        ("f*#k and s#*t", "F and S"),
        ("p**s b****s", "P B s"),
        ("5* hotel, 4* of 5*", "5 star hotel, 4 star of 5 star"),
        ("motherf*er bast*rd su*cide", "mother F B S"),
        ("A* p* C*-algebra", "A-star p star C star-algebra"),
    ],
)
def test_hidden_words_are_told_by_what_can_be_seen(text: str, expected: str) -> None:
    assert written(text) == written(text, british=True) == expected


@pytest.mark.parametrize(
    "text",
    [
        "**Sign in**",
        "*Sign in* first",
        "**a b c**",
        "Call us** or them*",
        "foo**bar**baz",
        "f(*args, **kwargs)",
        "src/**/*.ts lib*.so *.py",
        "char *s, **t",
        "don't*",
        "https://a.b/c*d ~/e*f /g/h*i C:\\j*k",
        "1** x",
    ],
)
def test_other_stars_stay(text: str) -> None:
    assert written(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m*a", "m times A"),
        ("a*b*a", "A times b times A"),
        ("2*x 2*(y) (x)*(y) 3 * n", "2 times x 2 times (y) (x) times (y) 3 times n"),
        ("pi*r**2", "pi times r^2"),
        ("x**y (a+b)**2", "x^y (a+b)^2"),
        ("width*height", "width times height"),
        ("= mg*h", "= mg times h"),
        ("y = sh*t", "y = sh times t"),
        ("price*(1 + r)", "price times (1 + r)"),
        ("tax*(see below)", "tax*(see below)"),
    ],
)
def test_stars_of_formulas_are_operators(text: str, expected: str) -> None:
    assert written(text) == expected


def test_no_product_of_letters_loses_one() -> None:
    letters = "abcdefghijklmnopqrstuvwxyzABXYZ"
    for left, right in itertools.product(letters, repeat=2):
        text = f"{left}*{right}"
        if text.lower() not in ("g*d", "s*x"):
            said = written(f"y = {text}*h").removeprefix("y = ")
            assert said.lower() == f"{left} times {right} times h".lower()
            assert written(text).lower() == f"{left} times {right}".lower()
