"""Times of day."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import (
    DASH,
    FIGURE_BEFORE,
    LAST_DOT,
    SPACE,
    WORD_AFTER,
    one_of,
)
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

_HOUR = "(?:[01]?[0-9]|2[0-4])"
_MINUTE = "[0-5][0-9]"
_HALF = rf"(?:[aApP]\.{SPACE}?[mM]{LAST_DOT}|[aApP][mM]){WORD_AFTER}"


class Clock:
    """Writes times in the words of a language."""

    def __init__(self, locale: Locale, numerals: Numerals) -> None:
        self._locale = locale
        self._numerals = numerals

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules for times."""
        locale = self._locale
        mark = ":"
        if locale.hour_marks:
            mark = f"(?::|{SPACE}?[{locale.hour_marks}]{SPACE}?)"
        words = one_of(locale.clock_words)
        time = re.compile(
            rf"{FIGURE_BEFORE}(?P<hour>{_HOUR}){mark}(?P<minute>{_MINUTE})"
            rf"(?:(?::(?P<second>{_MINUTE})(?:[.,][0-9]{{1,6}})?)?Z?|{SPACE}?(?P<duration>min))(?!\w|:|[.,][0-9])"
            rf"(?:{SPACE}?{DASH}{SPACE}?(?P<to_hour>{_HOUR}){mark}(?P<to_minute>{_MINUTE})(?!\w|:))?"
            rf"(?:{SPACE}?(?P<half>{_HALF})|{SPACE}?(?P<word>{words})(?P<dot>{LAST_DOT}){WORD_AFTER})?"
        )
        rules = [
            Rule(time, self._write),
            Rule(
                re.compile(rf"{FIGURE_BEFORE}(?P<hour>{_HOUR}){SPACE}?(?P<half>{_HALF})"),
                self._write_hour,
            ),
        ]
        if locale.ratio:
            dotted = re.compile(
                rf"{FIGURE_BEFORE}(?P<hour>{_HOUR})\.(?P<minute>{_MINUTE}){SPACE}?"
                rf"(?:(?:h|hs|hrs)(?![\w/])|(?P<half>{_HALF}))"
            )
            rules.append(Rule(dotted, self._write_dotted))
        if locale.clock_before:
            before = "|".join(rf"(?<=\b{word}{SPACE})" for word in locale.clock_before)
            rules.append(
                Rule(
                    re.compile(
                        rf"(?:{before})(?P<hour>{_HOUR})\.(?P<minute>{_MINUTE})(?!\w|[.,:][0-9])"
                    ),
                    lambda match: self.say(int(match["hour"]), int(match["minute"])),
                )
            )
        return tuple(rules)

    def say(self, hour: int, minute: int, second: int | None = None) -> str:
        """Return a time in words."""
        locale, numerals = self._locale, self._numerals
        hour_word = numerals.cardinal(hour, locale.hour.agreement)
        noun = locale.hour.one if hour == 1 else locale.hour.many
        if second:
            counts = ((hour, locale.hour), (minute, locale.minute), (second, locale.second))
            return " ".join(
                numerals.count(numerals.parse(str(value)), noun) for value, noun in counts
            )
        if minute == 0:
            # Midnight is 0 or 24.
            needs_noun = (hour or 24) >= locale.clock_whole_noun
            return f"{hour_word} {noun}" if needs_noun else self._whole(hour)
        template = locale.clock_few if minute < 10 else locale.clock
        return template.format(hour=hour_word, minute=numerals.cardinal(minute), noun=noun)

    def say_half(self, hour: int, minute: int, *, is_forenoon: bool) -> str:
        """Return a time of the 12-hour clock in words."""
        locale = self._locale
        time = self._whole(hour) if minute == 0 else self.say(hour, minute)
        part = locale.forenoon
        if not is_forenoon:
            part = next(words for last, words in locale.afternoon if hour % 12 <= last)
        return locale.day_part.format(time=time, part=part)

    def _whole(self, hour: int) -> str:
        noun = self._locale.hour.one if hour == 1 else self._locale.hour.many
        hour_word = self._numerals.cardinal(hour, self._locale.hour.agreement)
        return self._locale.clock_whole.format(hour=hour_word, noun=noun)

    def _write(self, match: re.Match[str]) -> str | None:
        hour, minute = int(match["hour"]), int(match["minute"])
        half = match["half"]
        if match["duration"]:
            return " ".join(
                self._numerals.count(self._numerals.parse(str(value)), noun)
                for value, noun in ((hour, self._locale.hour), (minute, self._locale.minute))
            )
        if half and 1 <= hour <= 12 and not match["to_hour"]:
            return self.say_half(hour, minute, is_forenoon=half[0] in "aA")
        second = int(match["second"]) if match["second"] else None
        words = self.say(hour, minute, second)
        if match["to_hour"]:
            to = self.say(int(match["to_hour"]), int(match["to_minute"]))
            words = f"{words} {self._locale.range_word} {to}"
        if half:
            return f"{words} {half}"
        if match["word"]:
            said = self._locale.clock_words[match["word"]]
            if said and said not in words.split():
                words = f"{words} {said}"
        return words

    def _write_dotted(self, match: re.Match[str]) -> str:
        hour, minute = int(match["hour"]), int(match["minute"])
        if match["half"] and 1 <= hour <= 12:
            return self.say_half(hour, minute, is_forenoon=match["half"][0] in "aA")
        return self.say(hour, minute)

    def _write_hour(self, match: re.Match[str]) -> str | None:
        hour = int(match["hour"])
        if not 1 <= hour <= 12:
            return None
        return self.say_half(hour, 0, is_forenoon=match["half"][0] in "aA")
