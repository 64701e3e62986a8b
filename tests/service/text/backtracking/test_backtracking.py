import itertools
import math
import re

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from service.text.backtracking import TooLargeError, growth
from tests.profiles import costly, given
from tests.service.text.backtracking.counting_matcher import CountingMatcher, TooManyStepsError

EXPONENTIAL = [
    "(a+)+b", "(a*)*b", "(?:a|aa)+$", "(?:a|a)*b", "((a+))+c", "(?P<n>a+){2,}b", "(a?){50}a{50}",
    r"(\w+\s?)*x", r"([^\]]+)+x", "(?i:a+)+b", "(?:and |(?:and )?learned )*friend", "(?:a?b?)*c",
]  # fmt: skip

POLYNOMIAL = [
    (r"\s*\s*x", 3), (r"(\w+)[-]\n", 2), (r"\[.*?\]", 2), (r"\s+$", 2), (r"(?=\s*x)", 2),
    (r"a(?:a*c)?", 2), (r"(?s)x.*?y.*?z", 3), (r"(\w)\1+x", 2), ("(?:x*a?){3}y", 4), (r"\d+\b", 2),
    ("(?:a*b)*c", 2), ("a{0,999}b", 2), ("(?:ab){0,99}c", 2),
]  # fmt: skip

LINEAR = [
    r"GPT-(\d)o\b", r"\d+(?:\.\d+)?", "(?:foo|bar)?baz", "(ab)+", "(?:[0-9a-f]{2}:)+", "[(a+)+]+",
    r"\(a+\)+", r"\s+", r"\d+(?!\d)", r"(?<!\w)(\w+)-\n\s*(\w+)", r"\b\d+\b", r"\A\s*x",
    r"(?m)^[ \t]*x", r"(?<!\s)\s+$", r",(?=\s*\w)", "a{0,80}b", r"x(?<!\wx)\w*y", "", "a",
    "(?:a|b)*", r"(?<=\n)[ ]*x", "(?:a|b)+(?=[^ab]|$)", "a(?P<b>b)?(?(b)c|d)",
]  # fmt: skip


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_loops_with_two_ways_are_exponential(pattern):
    assert growth(re.compile(pattern)).exponent == math.inf


@pytest.mark.parametrize(("pattern", "exponent"), POLYNOMIAL)
def test_loops_beside_each_other_are_polynomial(pattern, exponent):
    found = growth(re.compile(pattern))
    assert found.exponent == exponent
    assert found.pump


@pytest.mark.parametrize("pattern", LINEAR)
def test_others_are_linear(pattern):
    assert growth(re.compile(pattern)).exponent == 1


@pytest.mark.parametrize(
    ("pattern", "use", "exponent"),
    [
        (r"\s*x", "match", 1), (r"\s*\s*x", "match", 2), (r"\s*\s*", "match", 1), (r"\s*\s*", "fullmatch", 2),
        ("ab", "match", 0), ("(?:a|aa)*", "match", 1), ("(?:a|aa)*", "fullmatch", math.inf),
    ],
)  # fmt: skip
def test_growth_depends_on_the_use(pattern, use, exponent):
    assert growth(re.compile(pattern), use).exponent == exponent


def test_limits_of_repetitions_can_be_left_out():
    pattern = re.compile("a{0,80}b")
    assert growth(pattern).exponent == 1
    assert growth(pattern, bounded=False).exponent == 2


def test_bytes_have_patterns_too():
    assert growth(re.compile(rb"\s+x")).exponent == 2
    assert growth(re.compile(rb"\s+")).exponent == 1


def test_a_pattern_may_be_too_large():
    with pytest.raises(TooLargeError, match="more than"):
        growth(re.compile("(?:(?:(?:(?:(?:abcdef){10}){10}){10}){10}){10}"))


# Parts of patterns over two letters, and what may follow each other.
_ONE = st.sampled_from(["a", "b", "[ab]", "[^a]", "."])
_ASIDE = st.sampled_from(["(?<!a)", "(?<=b)", "(?<!ab)", r"\b", r"\Z", "(?=a)", "(?!b+a)", "(?=a*b)"])
_OFTEN = st.sampled_from(["", "*", "+", "?", "*?", "+?", "{2}", "{2,}"])
_PART = st.deferred(lambda: st.one_of(st.builds(str.__add__, _ONE, _OFTEN), _ASIDE, _GROUP))
_SEQUENCE = st.lists(_PART, min_size=1, max_size=3).map("".join)
_GROUP = st.builds("(?:{}){}".format, st.lists(_SEQUENCE, min_size=1, max_size=2).map("|".join), _OFTEN)


@pytest.mark.thorough
@costly(1)
@given(st.lists(_PART, min_size=1, max_size=4).map("".join), st.data())
def test_no_text_takes_more_steps_than_the_growth_says(pattern, data):
    compiled = re.compile(pattern)
    exponent = growth(compiled).exponent
    assume(exponent <= 3)
    matcher = CountingMatcher(pattern)
    pump = data.draw(st.sampled_from(_PUMPS))
    before, after = data.draw(st.sampled_from(_SURROUNDINGS))

    def steps(n):
        text = before + (pump * n)[:n] + after
        matcher.n_steps = 0
        assert matcher.spans(text) == [match.span() for match in compiled.finditer(text)]
        return matcher.n_steps

    try:
        few, many = steps(30), steps(60)
        # Terms of a lower degree make the first part of a curve steeper or flatter.
        if many > few * 2**exponent * 1.25 + 200:
            assert steps(120) <= many * 2**exponent * 1.25
    except TooManyStepsError:
        assume(False)


_PUMPS = ["".join(letters) for n in (1, 2, 3) for letters in itertools.product("abc", repeat=n)]
_SURROUNDINGS = list(itertools.product(("", "a", "b", "c"), repeat=2))
