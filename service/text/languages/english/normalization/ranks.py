"""Ranks and styles before names, as they are written without a dot: `Lt Col`, `Rt Hon.`."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import text_after
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_RANKS = {
    "Lt": "Lieutenant",
    "Col": "Colonel",
    "Maj": "Major",
    "Gen": "General",
    "Capt": "Captain",
    "Cpt": "Captain",
    "Sgt": "Sergeant",
    "SSgt": "Staff Sergeant",
    "Cpl": "Corporal",
    "LCpl": "Lance Corporal",
    "Pte": "Private",
    "Pvt": "Private",
    "Brig": "Brigadier",
    "Adm": "Admiral",
    "Cdr": "Commander",
    "Cmdr": "Commander",
    "Cdre": "Commodore",
    "Wg Cdr": "Wing Commander",
    "Gp Capt": "Group Captain",
    "Sqn Ldr": "Squadron Leader",
    "Flt Lt": "Flight Lieutenant",
    "Flt Sgt": "Flight Sergeant",
    "Fg Off": "Flying Officer",
    "Air Cdre": "Air Commodore",
    "Air Vice-Marshal": "Air Vice-Marshal",
    "Insp": "Inspector",
    "Det Insp": "Detective Inspector",
    "Det Sgt": "Detective Sergeant",
    "Det Con": "Detective Constable",
    "Det Supt": "Detective Superintendent",
    "Det Ch Insp": "Detective Chief Inspector",
    "Det Ch Supt": "Detective Chief Superintendent",
    "Ch Insp": "Chief Inspector",
    "Ch Supt": "Chief Superintendent",
    "Supt": "Superintendent",
    "Revd": "Reverend",
}
_RANK = "|".join(sorted(_RANKS, key=len, reverse=True))
# After a name of any kind these are something else: `Gen Z`, `Brit Col`.
_TITLED = re.compile(
    rf"\b(?P<ranks>(?:{_RANK})(?:[ ](?:{_RANK}))?)"
    r"(?=[ ](?:[A-Z][a-z][\w'’-]*|[A-Z]\.|[A-Z]['’][A-Z]|Mc[A-Z])(?!\w))"
)
_LONE = frozenset(("Gen", "Col", "Maj", "Adm", "Brig"))
"""Also other words; only before a name of two words, a name at a verb, or with another rank."""
_NAMED = re.compile(
    r"[ ](?:Sir[ ]|Lord[ ]|Lady[ ])?[A-Z][\w.'’-]*(?:[ ](?:[A-Z][a-z'’-]+|(?:was|is|has|had|said"
    r"|led|took|and|who|of|ordered|won|told|will)(?!\w))|['’]s|[,.])"
)
_LANCE = re.compile(r"\bL/(?P<rank>Cpl|Sgt|Bdr)\.?(?=[ ][A-Z])")
_LANCES = {"Cpl": "Corporal", "Sgt": "Sergeant", "Bdr": "Bombardier"}
_RIGHT = re.compile(r"\b[Rr]t\.?[ ](?P<style>Hon|hon|Revd|Rev)\b\.?(?=[ ,]|\Z)")
_FRIEND = re.compile(
    r"\bhon\.(?=[ ](?:and[ ](?:gallant[ ])?|learned[ ])*"
    r"(?:[Ff]riends?|[Mm]embers?|[Ll]ad(?:y|ies)|[Gg]entlem[ae]n)(?!\w))"
)
_HONORARY = re.compile(
    r"\bHon\.?[ ](?P<office>Sec|Secretary|Treasurer|Treas|President|Fellow|Member|Chairman|Chair"
    r"|Consul|Degree|Doctorate)\b(?P<dot>\.(?![ ][A-Z]))?"
)
_OFFICES = {"Sec": "Secretary", "Treas": "Treasurer"}
_DEGREE = re.compile(
    r"(?P<word>[Hh]ons)(?:(?<=\(....)|(?<=class[ ]....)|(?<=2:[12][ ]....)|(?<=(?:BA|SC|Sc)[ ]....)"
    r"|(?=[ ]degrees?(?!\w)))(?![\w.])"
)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for ranks and styles. They come before those for other abbreviations."""
    honour = "onour" if numbers.british else "onor"

    def right(match: re.Match[str]) -> str:
        style = match["style"]
        if style.startswith("Rev"):
            return "Right Reverend"
        return f"Right {style[0]}{honour}able"

    def degree(match: re.Match[str]) -> str:
        return f"{match['word'][0]}{honour}s"

    return (
        Rule(_RIGHT, right),
        Rule(_FRIEND, lambda match: f"h{honour}able"),
        Rule(_HONORARY, lambda m: f"Honorary {_OFFICES.get(m['office'], m['office'])}"),
        Rule(_DEGREE, degree),
        Rule(_LANCE, lambda match: f"Lance {_LANCES[match['rank']]}"),
        Rule(_TITLED, _titled),
    )


def _titled(match: re.Match[str]) -> str | None:
    ranks = match["ranks"]
    if ranks in _LONE and _NAMED.match(text_after(match)) is None:
        return None
    if ranks in _RANKS:
        return _RANKS[ranks]
    first, _, second = ranks.partition(" ")
    if first in _RANKS and second in _RANKS:
        return f"{_RANKS[first]} {_RANKS[second]}"
    return re.sub(_RANK, lambda found: _RANKS[found[0]], ranks)
