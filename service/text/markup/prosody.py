"""The values of `prosody` and of levels of sound, as W3C, Azure, Google and Polly write them.

Every function returns the value, and the reason if it is not the one that is written.
"""

from __future__ import annotations

import math
import re

from service.text.markup.values import (
    MAX_PAUSE_S,
    MAX_RATE,
    MIN_RATE,
    quote,
)

LOWEST_PITCH, HIGHEST_PITCH = -4.0, 2.0
"""Semitones of a voice's pitch. Of 55 words of af_heart a recognizer misses 9 % as they are and at
-4, 18 % at -5, 36 % at +2 and 71 % at +3 (`bench.pitch`), for the formants move too."""

LOUDEST_DB, QUIETEST_DB = 20.0, -60.0
"""As for a request's volume."""

RATES = {"x-slow": 0.5, "slow": 0.75, "medium": 1.0, "fast": 1.25, "x-fast": 1.5}
_VOLUMES_DB = {"x-soft": -12.0, "soft": -6.0, "medium": 0.0, "loud": 6.0, "x-loud": 12.0}
_PITCHES = {"x-low": -4.0, "low": -2.0, "medium": 0.0, "high": 1.0, "x-high": 2.0}
_BASES_HZ = {"male": 120.0, "female": 210.0}
"""Usual pitches of men and women, to which hertz are compared."""

_LOWEST_HZ = 40.0
"""A greater number without a unit is a pitch in hertz."""

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>%|st|hz|db|semitones?|)",
    re.ASCII | re.IGNORECASE,
)
_TIME = re.compile(
    r"\+?(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>ms|msecs?|milliseconds?|s|secs?|seconds?|)",
    re.ASCII,
)
_MOST_RELATIVE = 3.0
_MOST_TIMES = 10.0
"""A greater rate without a unit is meant in percent: with a sign, and without one."""

_FULL_VOLUME = 100.0


def _parsed(value: str) -> tuple[str, float, str] | None:
    """Return sign, number and unit; None for other text."""
    match = _NUMBER.fullmatch(value.strip())
    if match is None:
        return None
    sign, number, unit = match["sign"], float(match["number"]), match["unit"].lower()
    if unit == "%" and not number:
        sign = "+"  # `0%` is no change in every dialect
    return sign, -number if sign == "-" else number, unit.replace("semitones", "st")


def _clamped(value: float, least: float, most: float, unit: str) -> tuple[float, str]:
    kept = min(max(value, least), most)
    return kept, "" if kept == value else f"{value:g}{unit} is beyond the limit of {kept:g}{unit}"


def rate_of(value: str, outer: float, *, is_relative: bool = False) -> tuple[float, str]:
    """Return the rate of an element inside one with the rate `outer`: 0.25 to 4.

    `80%` and `1.2` are factors, `+10%` and `+0.1` are added to 1.

    Args:
        value: as it is written.
        outer: the rate around it.
        is_relative: whether `80%` is added to 1 as well, as Azure has it.
    """
    wanted = value.strip().lower()
    if wanted == "default":
        return 1.0, ""
    factor = RATES.get(wanted)
    if factor is None:
        parsed = _parsed(wanted)
        if parsed is None or parsed[2] not in ("", "%"):
            return outer, f"{quote(value)} is not a rate"
        sign, number, unit = parsed
        sign = "+" if is_relative and unit == "%" else sign
        if unit == "%" or abs(number) > (_MOST_RELATIVE if sign else _MOST_TIMES):
            number /= 100
        factor = 1 + number if sign else number
    # Rounded, so that 80 % of 125 % is exactly 1.
    return _clamped(round(factor * outer, 6), MIN_RATE, MAX_RATE, "")


def gain_of(value: str, outer: float, *, is_relative: bool = False) -> tuple[float, str]:
    """Return the gain of an element inside one with the gain `outer`: a factor of the samples.

    Numbers are shares of 100, as in SSML 1.0: `50` is half, `+10` a tenth more, as is `+10%`.

    Args:
        value: as it is written.
        outer: the gain around it.
        is_relative: whether `10%` is a tenth more as well, as Azure has it.
    """
    wanted = value.strip().lower()
    if wanted == "default":
        return 1.0, ""
    if wanted == "silent":
        return 0.0, ""
    decibels = _VOLUMES_DB.get(wanted)
    if decibels is None:
        parsed = _parsed(wanted)
        if parsed is None or parsed[2] not in ("", "%", "db"):
            return outer, f"{quote(value)} is not a volume"
        sign, number, unit = parsed
        sign = "+" if is_relative and unit == "%" else sign
        if unit == "db":
            decibels = number
        else:
            factor = (_FULL_VOLUME + number if sign else number) / _FULL_VOLUME
            if factor <= 0:
                return 0.0, ""
            decibels = 20 * math.log10(factor)
    if outer == 0:
        return 0.0, ""
    total, reason = _clamped(
        round(decibels + 20 * math.log10(outer), 6), QUIETEST_DB, LOUDEST_DB, " dB"
    )
    return (1.0 if total == 0 else 10 ** (total / 20)), reason


def pitch_of(value: str, outer: float, sex: str, *, is_relative: bool = False) -> tuple[float, str]:
    """Return the semitones of an element inside one with the pitch `outer`.

    Args:
        value: such as `+2st`, `2st`, `-10%`, `+20Hz`, `180Hz`, `180` or `high`.
        outer: semitones.
        sex: of the voice, for hertz.
        is_relative: whether `10%` is a tenth more as `+10%` is, as Azure has it.
    """
    wanted = value.strip().lower()
    if wanted == "default":
        return 0.0, ""
    semitones = _PITCHES.get(wanted)
    if semitones is None:
        parsed = _parsed(wanted)
        is_bare = parsed is not None and not parsed[2] and (parsed[0] or parsed[1] < _LOWEST_HZ)
        if parsed is None or parsed[2] == "db" or is_bare:
            return outer, f"{quote(value)} is not a pitch"
        sign, number, unit = parsed
        sign = "+" if is_relative and unit == "%" else sign
        if unit == "st":
            semitones = number
        else:
            base_hz = _BASES_HZ[sex]
            whole = 100.0 if unit == "%" else base_hz
            ratio = (whole + number if sign else number) / whole
            if ratio <= 0:
                return LOWEST_PITCH, f"{quote(value)} is beyond the limit of {LOWEST_PITCH:g}st"
            semitones = 12 * math.log2(ratio)
            if not sign:
                outer = 0.0
    return _clamped(round(semitones + outer, 3), LOWEST_PITCH, HIGHEST_PITCH, "st")


def time_of(value: str) -> tuple[float | None, str]:
    """Return the seconds of `1.5s`, `+500ms`, `2 sec` or `2`, at most 60; None for other text.

    A number without a unit is seconds if it can be, and milliseconds from 61 on.
    """
    match = _TIME.fullmatch(value.strip().lower())
    if match is None:
        return None, f"{quote(value)} is not a duration such as 1.5s or 500ms"
    number, unit = float(match["number"]), match["unit"]
    is_ms = unit.startswith("m") if unit else number > MAX_PAUSE_S
    seconds = number / 1000 if is_ms else number
    if seconds > MAX_PAUSE_S:
        return MAX_PAUSE_S, f"{quote(value)} is longer than {MAX_PAUSE_S:g} seconds"
    return (
        seconds,
        "" if unit or not number else f"{quote(value)} has no unit; it is taken for {seconds:g}s",
    )
