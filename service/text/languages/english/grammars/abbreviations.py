"""Abbreviations, with and without their stops, whatever their case; chat forms; phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import MONTH
from service.text.languages.english.normalization.chat import FORMS as CHAT_FORMS
from service.text.lattice.grammar import Grammar, Place, Reading
from service.text.lattice.tokens import Token

ABBREVIATION = Grammar(
    "abbreviation",
    prior={"": 1.0, "1": 0.5, "2": 0.0},
)

_TABLE = """
mr Mister; mrs Missus; ms Miz; messrs Messieurs; dr Doctor, Drive; drs Doctors; st Saint, Street
sts Saints, Streets; prof Professor; profs Professors; assoc Associate, Association; asst Assistant
rev Reverend, revenue, revision; fr Father; sr Senior, Sister; jr Junior; gen General; col Colonel, column
maj Major; capt Captain; cpt Captain; lt Lieutenant; sgt Sergeant; cpl Corporal; pvt Private
cmdr Commander; adm Admiral; gov Governor; sen Senator; sens Senators; rep Representative
reps Representatives, repetitions
pres President; hon Honorable; supt Superintendent; det Detective; insp Inspector; atty attorney
ave Avenue; av Avenue; blvd Boulevard; rd Road; ln Lane; ct Court, count; pl Place; sq square
hwy highway; pkwy parkway; rte route; rt route, right; cir Circle; ter Terrace; expy expressway
tpke turnpike; apt apartment; ste Suite; bldg building; fl floor, Florida; rm room; flr floor
mt Mount, Mountain; mtn mountain; mts mountains; ft Fort, feet; pt part, point, patient; jct junction
n North; s South; e East; w West; hosp hospital; univ University; inst institute; natl national
vs versus; v versus; etc et cetera; inc Incorporated; ltd Limited; corp Corporation; co Company, care of
bros Brothers; est established, estimated; approx approximately; appt appointment; appts appointments
attn attention; qty quantity; sz size; misc miscellaneous; max maximum; min minimum, minutes, minute
temp temperature; temps temperatures; avg average; hdqrs headquarters; govt government; dept department
depts departments; dist district, distance; mgr manager; mgmt management; assn association; intl international
incl including; excl excluding; exc except; prev previous; orig original; ref reference; refs references
vol volume, voluntary; vols volumes; ed edition, editor, edited; eds editors; p page; pp pages; pg page; pgs pages
ch chapter; chap chapter; chs chapters; sec section, second, seconds; secs sections, seconds; fig figure; figs figures
eq equation; eqs equations; thm theorem; prop proposition; def definition; tbl table; app appendix; art article
arts articles; cl clause; para paragraph; paras paragraphs; par paragraph; no number; nos numbers; op opus
ex example, exercise, exhibit; bk book; ms manuscript; trans translated; tr translated, track; rpt report
jan January; feb February; mar March; apr April; jun June; jul July; aug August; sep September
sept September; oct October; nov November; dec December
mon Monday; tue Tuesday; tues Tuesday; wed Wednesday; weds Wednesday; thu Thursday; thur Thursday
thurs Thursday; fri Friday; sat Saturday; sun Sunday
hi high; lo low; med medium; lg large; sm small; amt amount; bal balance; acct account; accts accounts
pmt payment; rec recommended, recreation; wt weight; ht height; wk week; wks weeks; wknd weekend
mo month; mos months; yr year; yrs years; hr hour; hrs hours; mins minutes; ea each; tel telephone
ext extension; cert certificate; cont continued; equiv equivalent; freq frequency; ins insurance; mkt market
mtg meeting; recd received; reg regular, regulation; req required, request; reqd required; sch school; spec specification
specs specifications; std standard; svc service; tot total; vac vacation; supv supervisor; div division
crim criminal; civ civil; ca circa; c circa, cup, cups; b born; d died, day; cf compare; viz namely; esp especially
ver version; lvl level; mfg manufacturing; mfr manufacturer; elev elevation; pop population; alt altitude
lat latitude; long longitude; lon longitude; dep departs, departure; arr arrives, arrival; flt flight; blk block
sn serial number; prob problem; diam diameter; exp expires, experience; cat category; info information
hgb hemoglobin; plt platelets; rx prescription; dx diagnosis; hx history; tx treatment; sx symptoms; fx fracture
tsp teaspoon, teaspoons; tbsp tablespoon, tablespoons; oz ounces, ounce; lb pound; lbs pounds; pkg package; pkgs packages
pk pack; pc piece; pcs pieces; doz dozen; esq Esquire; ret retired; spp species; sp species, spring; var variety
ass'n association; int'l international; nat'l national; gov't government; dep't department; cont'd continued
rec'd received; sec'y secretary; ann annotated; supp supplement; amend amendment; const Constitution
stat statutes; cir Circuit; comm committee, commission; conf conference; proc proceedings; symp symposium
bet between; w/o without; min. minimum; mic microphone; msg message; msgs messages; pls please
addr address; arch architecture; auth author; char character; dev developer; doc document; docs documents
env environment; lib library; param parameter; params parameters; repo repository; seq sequence; tmp temporary
num number; nbr number; ord ordinance; res resolution, resolution; tix tickets; bday birthday; hrs. hours
gal gallon, gallons; qt quart, quarts; in inches, inch; yds yards; yd yard; mi miles, mile; km kilometers; nm nautical miles
sched scheduled; sqn squadron; mss manuscripts; cres Crescent; pos position; amp ampere; recs recommendations
"""
READINGS: dict[str, list[str]] = {}
for _entry in _TABLE.replace("\n", ";").split(";"):
    _short, _, _long = _entry.strip().partition(" ")
    if _short and "." not in _short:
        for _reading in _long.split(", "):
            if _reading not in READINGS.setdefault(_short, []):
                READINGS[_short].append(_reading)

_NAMES = frozenset(
    "mr mrs ms messrs dr drs prof gen col maj capt cpt lt sgt cpl pvt cmdr adm gov sen rep pres hon"
    " rev fr st sts supt det insp".split()
)
_PLURAL = {"wk", "mo", "yr", "hr", "pt"}


def _class_of(token: Token | None) -> str:
    """Return what kind of neighbour a token is."""
    if token is None:
        return "edge"
    kind, text, low = token.kind, token.text, token.low
    if kind == "number":
        return "number"
    if kind == "sign":
        return text
    if low in MONTH:
        return "month"
    if text[0].isupper():
        return "capital"
    return "lower"


@ABBREVIATION.at_words(READINGS)
def abbreviation(at: Place) -> Iterator[Reading]:
    token, text = at.token, at.text
    word = token.low
    stop = text[token.end : token.end + 1] == "."
    if text[token.end : token.end + 1].isalpha() or at.touches().isalpha():
        return
    inner = stop and text[token.end + 1 : token.end + 2].isalnum()
    shouted = " shouted" if at.tokens.is_shouted(token.start) else ""
    end = token.end + 1 if stop and not inner else token.end
    follows = at.token_after(end)
    after, before = _class_of(follows), _class_of(at.tokens.neighbour(at.index, -1))
    # A stop that ends the sentence too: what follows is a sentence, or nothing.
    closes = stop and (after == "edge" or text[end : end + 1] == "\n")
    is_word = "word" if at.tokens.knows(word) and word not in _NAMES else "no word"
    for index, reading in enumerate(READINGS[word]):
        words = reading
        if words[0].islower() and token.text[0].isupper() and not token.text.isupper():
            words = words[0].upper() + words[1:]
        mark = "stop" if stop else "bare"
        facts = (
            f"{word} {mark}",
            f"{word} > {after}",
            f"{word} < {before}",
            f"{mark} > {after}",
            f"{is_word} {mark} {token.shape}{shouted}",
            f"{word} {token.shape}",
        )
        if stop and not inner:
            yield Reading(str(index), words + ("." if closes else ""), facts, end)
            yield Reading(str(index), words, (*facts, "stop left"), token.end)
        else:
            yield Reading(str(index), words, facts)


CHAT = Grammar("chat", prior={"": 0.5}, domains="chat")


@CHAT.at_words([form for form in CHAT_FORMS if form.isalpha()] + ["u", "r", "n", "k"])
def chat(at: Place) -> Iterator[Reading]:
    word = at.token.low
    words = {"u": "you", "r": "are", "n": "and", "k": "okay"}.get(word) or CHAT_FORMS[word]
    yield Reading("form", words, (at.token.shape, word, f"{word} {at.token.shape}"))
    if word == "ur":
        yield Reading("is", "you're", (at.token.shape, "ur"))


PHRASE = Grammar("phrase", prior={"": 1.5})
_PHRASES = {
    "e.g.": ("for example", "E G"),
    "i.e.": ("that is", "I E"),
    "et al.": ("et al",),
    "et al": ("et al",),
    "a.k.a.": ("also known as",),
    "p.a.": ("per annum",),
    "c/o": ("care of", "complains of"),
    "s/p": ("status post",),
    "y/o": ("year old",),
    "d/b/a": ("doing business as",),
    "op. cit.": ("op cit",),
    "et seq.": ("et seq",),
    "w/o": ("without",),
    "w/": ("with",),
    "b/c": ("because",),
    "n/a": ("N A",),
    "q.d.": ("once a day",),
    "b.i.d.": ("twice a day",),
    "t.i.d.": ("three times a day",),
    "p.r.n.": ("as needed",),
    "n.d.": ("no date", "N D"),
    "r/o": ("rule out",),
    "h/o": ("history of",),
    "f/u": ("follow up",),
    "y/y": ("year over year",),
    "q/q": ("quarter over quarter",),
    "m/m": ("month over month",),
    "and/or": ("and or",),
}
_STARTS = "".join(sorted({c for phrase in _PHRASES for c in (phrase[0], phrase[0].upper())}))


@PHRASE.at(
    _STARTS,
    r"(?<![\w/.])(?:"
    + "|".join(re.escape(phrase) for phrase in sorted(_PHRASES, key=len, reverse=True))
    + r")(?![a-z0-9])",
    re.IGNORECASE,
)
def phrase(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    written = match[0].lower()
    for index, words in enumerate(_PHRASES[written]):
        facts = (written, "upper" if match[0].isupper() else "lower")
        yield Reading(str(index), words, facts)
        if written.endswith("."):
            yield Reading(str(index), words, (*facts, "stop left"), match.end() - 1)
