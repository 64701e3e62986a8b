"""Abbreviations of US states after the names of towns."""

from __future__ import annotations

import re

from service.text.normalization.rules import Rule

STATES = {
    "AK": "Alaska",
    "AL": "Alabama",
    "AR": "Arkansas",
    "AZ": "Arizona",
    "CA": "California",
    "CO": "Colorado",
    "CT": "Connecticut",
    "DE": "Delaware",
    "FL": "Florida",
    "GA": "Georgia",
    "HI": "Hawaii",
    "IA": "Iowa",
    "ID": "Idaho",
    "IL": "Illinois",
    "IN": "Indiana",
    "KS": "Kansas",
    "KY": "Kentucky",
    "LA": "Louisiana",
    "MA": "Massachusetts",
    "MD": "Maryland",
    "ME": "Maine",
    "MI": "Michigan",
    "MN": "Minnesota",
    "MO": "Missouri",
    "MS": "Mississippi",
    "MT": "Montana",
    "NC": "North Carolina",
    "ND": "North Dakota",
    "NE": "Nebraska",
    "NH": "New Hampshire",
    "NJ": "New Jersey",
    "NM": "New Mexico",
    "NV": "Nevada",
    "NY": "New York",
    "OH": "Ohio",
    "OK": "Oklahoma",
    "OR": "Oregon",
    "PA": "Pennsylvania",
    "RI": "Rhode Island",
    "SC": "South Carolina",
    "SD": "South Dakota",
    "TN": "Tennessee",
    "TX": "Texas",
    "UT": "Utah",
    "VA": "Virginia",
    "VT": "Vermont",
    "WA": "Washington",
    "WI": "Wisconsin",
    "WV": "West Virginia",
    "WY": "Wyoming",
}
# Also words, academic degrees and other things, unless a ZIP code follows.
_AMBIGUOUS = frozenset({"HI", "ID", "IN", "LA", "MA", "MD", "ME", "MS", "OH", "OK", "OR", "PA"})

_STATE = re.compile(
    rf",[ ](?<=[a-z],[ ])(?P<state>{'|'.join(STATES)})"
    r"(?:(?P<zip>(?=[ ][0-9]{5}(?![0-9])))|(?=[,.;:!?)]|[ ]?\n|\Z))"
)


def rules() -> tuple[Rule, ...]:
    """Return the rules for states."""
    return (Rule(_STATE, _write),)


def _write(match: re.Match[str]) -> str | None:
    state = match["state"]
    if state in _AMBIGUOUS and match["zip"] is None:
        return None
    return f", {STATES[state]}"
