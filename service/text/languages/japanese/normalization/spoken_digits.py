"""Digits that are said one by one."""

from __future__ import annotations

DIGITS = dict(
    zip(
        "0123456789",
        ("ゼロ", "イチ", "ニー", "サン", "ヨン", "ゴー", "ロク", "ナナ", "ハチ", "キュー"),
        strict=True,
    )
)
"""The names of the digits."""


def say_digits(text: str) -> str:
    """Return the text with each digit in katakana; other characters stay."""
    return "".join(DIGITS.get(character, character) for character in text)
