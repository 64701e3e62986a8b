from __future__ import annotations

import pytest

from service.text.backtracking import is_explosive


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a*)*",
        "(?:a|aa)+$",
        "(?:a|a)*b",
        "((a+))+",
        "(?P<n>a+){2,}",
        "(a?){50}a{50}",
        "(?:(?:a{1,9})b?)*?",
        r"(\w+\s?)*x",
        r"([^\]]+)+",
        "(?i:a+)+",
        "(a+)++",
    ],
)
def test_repeated_repetitions_are_explosive(pattern: str) -> None:
    assert is_explosive(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"GPT-(\d)o\b",
        r"\d+(?:\.\d+)?",
        "(?:foo|bar)?baz",
        "(ab)+",
        "(?:[0-9a-f]{2}:)+",
        "[(a+)+]+",
        r"\(a+\)+",
        "(a+)b+",
        "(?:a+|b){1}",
        "(?=a+)b*",
        "a{2}(b)",
        "(",
        ")",
        "a)+",
        "",
    ],
)
def test_others_are_not(pattern: str) -> None:
    assert not is_explosive(pattern)
