"""Abbreviations, with and without their stops, whatever their case; chat forms; phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    DIGITS,
    LETTERS,
    MONTH,
    UNIT_NAMES,
    UPPER,
    ends_sentence,
    letters,
    nearby,
)
from service.text.languages.english.normalization.chat import FORMS as CHAT_FORMS
from service.text.languages.english.normalization.numbers import plural
from service.text.languages.english.normalization.states import STATES
from service.text.languages.english.words import FUNCTION_WORDS
from service.text.lattice.grammar import Grammar, Place, Reading
from service.text.lattice.tokens import Token

ABBREVIATION = Grammar(
    "abbreviation",
    prior={"": 1.0, "1": 0.5, "2": 0.0, "3": -0.5, "cued": 2.5, "counted": 4.0},
)
_REACH = 5
"""Characters before an abbreviation that are looked at: `p.m. `."""
_OPTION = re.compile(r" --?[A-Za-z]")
_HYPHENED = re.compile(r"[0-9]-\Z")
_COLLEGES = frozenset(STATES.values()) | frozenset(
    "Penn Boise Fresno Kent Ball Wichita Norfolk Morgan Jackson Appalachian Weber Diego Jose"
    " Carolina Dakota Mexico N.C".split()
)
"""What a state or its university is called before `St.`: `Ohio St.`, `San Diego St.`"""


def _measured(text: str, token: Token) -> str:
    """Return what sort of amount begins at a token that is more than a number; empty if none."""
    if token.kind == "number":
        following = text[token.end : token.end + 1]
        if re.fullmatch("1[5-9][0-9][0-9]|20[0-4][0-9]", token.text):
            return "year"
        return {"%": "percent", "°": "degrees", ":": "time"}.get(following, "")
    if token.kind == "sign" and _AMOUNT_NEXT.match(text, token.start):
        return "money" if token.text[-1] in "$€£¥" else "signed"
    return ""


_TIME_BEFORE = re.compile(r"(?:[0-9][ap]?|[ap]\.?m\.?)[ ]\Z", re.IGNORECASE)
_AMOUNT_NEXT = re.compile(r"[-−+±~≈<>≤≥]?[$€£¥]?[0-9]")

_TABLE = """
mr Mister; mrs Missus; ms Miz; messrs Messieurs; dr Doctor, Drive; drs Doctors; st Saint, Street, State
sts Saints, Streets; aves Avenues; blvds Boulevards; rds Roads, rounds; hwys highways; apts apartments; lns lanes; prof Professor; profs Professors; assoc Associate, Association; asst Assistant
rev Reverend, revenue<q1 q2 q3 q4 growth guidance eps yoy ttm>, revision<ver version doc dwg drawing>; fr Father; sr Senior, Sister<fr nun convent mary>; jr Junior; gen General, generation<st nd rd th>; col Colonel, column
maj Major; capt Captain; cpt Captain; lt Lieutenant; sgt Sergeant; cpl Corporal; pvt Private
cmdr Commander; adm Admiral; gov Governor; sen Senator; sens Senators; rep Representative, repetition<set sets max bench>
reps Representatives, repetitions, reps<sets set rest lb lbs kg rpe x squat bench>
pres President; hon Honorable, Honorary; supt Superintendent; det Detective; insp Inspector; atty attorney
ave Avenue; av Avenue; blvd Boulevard; rd Road, round; ln Lane, natural log<log sqrt sin cos>; ct Court, count; pl Place; sq square
hwy highway; pkwy parkway; ofc office; abt about; cts counts, cents; rte route; rt route, right<lt arm leg knee eye ear side>; cir Circle; ter Terrace; expy expressway
tpke turnpike; apt apartment; ste Suite; bldg building; fl floor<2nd 3rd 1st nd rd th ste bldg>, Florida<miami orlando tampa>, flourished; rm room; flr floor
mt Mount, Mountain; mtn mountain; mts mountains; ft Fort, feet, full-time<pt hiring wanted position job admin asst>, featuring<song remix prod album single lyrics video track>; pt part, point<font>, patient<hx dx presents presented denies admitted>, pint<milk beer ale cream>; jct junction
n North; s South; e East; w West; hosp hospital; univ University; inst institute; natl national
vs versus; v versus, verse<chap ch chapter ps matt luke gen>; etc et cetera; inc Incorporated; ltd Limited; corp Corporation; co Company, care of, County
bros Brothers; est established<since founded brewery>, estimated<time arrival cost value tax delivery>, estimates<beat beats missed topped vs consensus eps>; approx approximately; appt appointment; appts appointments
attn attention; qty quantity; sz size; misc miscellaneous; max maximum; min minimum<pmt payment age balance due wage purchase>, minutes, minute
temp temperature; temps temperatures; avg average; hdqrs headquarters; govt government; dept department
depts departments; dist district, distance<mi km miles elev ft run hike>; mgr manager; mgmt management; assn association; intl international
incl including, included; add'l additional; addl additional; adv advance; cr credit<mwf tth lab bio class course>, crore; m married<b d born>; gm game<finals series nba mvp>, general manager; comb combined<mpg city hwy>; illum illuminated; ind individual; fam family; rwy runway; hols holidays; sem semester; ingr ingredients; hshld household; pbk paperback; hdg heading; ltr letter; spd speed;
props propositions; term terminal; chr chromosome; tbs tablespoons, tablespoon; tbls tablespoons; sc scene; l line; excl excluding; exc except; prev previous; orig original; ref reference, referee<foul whistle game>; refs references
vol volume<no issue nos pp>, voluntary; vols volumes; ed edition<1st 2nd 3rd rev revised>, editor<chief managing>, edited, education<board dept department phys special driver driver's higher adult>; eds editors; p page; pp pages; pg page; pgs pages
ch chapter<pp p read book>, channel<tv news watch hd cable>, children<b d m born married>; chap chapter; chs chapters; sec section, second, seconds, Secretary<state defense treasury labor commerce>; secs sections, seconds; fig figure; figs figures
eq equation; eqs equations; thm theorem; prop proposition; nec necessary; pcm per calendar month; tkt ticket; tkts tickets; att attendance; cdo Commando; admin administrative, administrator; elec electric; appx appendix; dom domestic<intl int'l flt flts flight flights>, domain; mod moderate, modification; prov province; terr territory; disc discount; mil million;  caf cafeteria; wds words; chol cholesterol; bdrm bedroom; bdrms bedrooms; frplc fireplace; blt built; rew reward<lost>; cond condition; wtd wanted; bn battalion; abp Archbishop; mvt movement; stn station; grs grades; sz size; avg average; wht white; eves evenings<wknds weekends>; wknds weekends; def definition, defeated<ko tko ufc round bout points decision champion title r1 r2 r3>; tbl table; app appendix; art article
arts articles; cl clause; para paragraph; paras paragraphs; par paragraph; no number; nos numbers; op opus
ex example, exercise, exhibit; bk book; ms manuscript; trans translated, transmission<auto manual mpg miles cyl>, transaction<id acct date>; tr translated, track; rpt report
jan January; feb February; mar March; apr April; jun June; jul July; aug August; sep September
sept September; oct October; nov November; dec December, declared
mon Monday; tue Tuesday; tues Tuesday; wed Wednesday; weds Wednesday; thu Thursday; thur Thursday
thurs Thursday; fri Friday; sat Saturday<fri sun mon thu tue wed>, saturated<fat fats trans cal calories sodium carbs>, S A T<score scores act gpa prep psat ap exam>; sun Sunday
hi high; lo low; med medium; lg large; sm small; amt amount; bal balance; acct account; accts accounts
pmt payment; rec recommended, recreation; wt weight; ht height, halftime; wk week; wks weeks; wknd weekend
mo month; mos months; yr year; yrs years; hr hour; hrs hours; mins minutes; ea each; tel telephone
ext extension<call dial phone tel number>, exterior<int paint color>, extended<qty subtotal unit>; cert certificate; cont continued; equiv equivalent; freq frequency; ins insurance; mkt market
mtg meeting; recd received; reg regular, regulation; req required, request<pto leave submit approved denied api http>; reqs requests, requirements; reqd required; sch school; spec specification, specialist<pcp copay>
specs specifications; std standard; svc service; tot total; vac vacation; supv supervisor; div division
crim criminal; civ civil; ca circa; c circa, cup, cups, century; b born; d died, day; cf compare; viz namely; esp especially
ver version; lvl level; mfg manufacturing; mfr manufacturer; elev elevation; pop population; alt altitude
lat latitude; long longitude; lon longitude; dep departs<arr train flight gate>, departure, deposit<fee refund rent refundable>, dependent<ins spouse>; arr arrives<dep train flight>, arrival, arranged<by music comp>; flt flight; blk block<lot sec section apt>
sn serial number; prob problem, probability<win odds lose tie %>; nne north-northeast; ene east-northeast; ese east-southeast; sse south-southeast; ssw south-southwest
wsw west-southwest; wnw west-northwest; nnw north-northwest; ne northeast; nw northwest; se southeast; sw southwest
alg algebra; hist history; chem chemistry; econ economics; psych psychology; diam diameter; vit vitamin; vits vitamins; prod produced<by>, product<id code sku>, production; comp composed<by>, complimentary<breakfast parking wifi>, comprehensive, competition; exp expires<visa card mastercard amex cvv cvc lot best>, experience<yrs years yr min preferred req>; cat category; info information
gr grade; hgb hemoglobin; plt platelets; rx prescription; dx diagnosis; hx history; tx treatment; sx symptoms; fx fracture
tsp teaspoon, teaspoons; tbsp tablespoon, tablespoons; oz ounces, ounce; lb pound; lbs pounds; pkg package; pkgs packages
pk pack; pc piece; pcs pieces; pkt packet; pkts packets; nr near; doz dozen; esq Esquire; ret retired; spp species; sp species, spring, space<dbl double single>; var variety
ass'n association; int'l international; nat'l national; gov't government; dep't department; cont'd continued
rec'd received; req'd required; pref'd preferred; sec'y secretary; ann annotated; supp supplement; amend amendment; const Constitution
stat statutes; cir Circuit; comm committee, commission; conf conference, confirmation<no number booking>; proc proceedings; symp symposium
bet between; w/o without; min. minimum; mic microphone; msg message; msgs messages; pls please
addr address; arch architecture; auth author; char character; dev developer; doc document; docs documents
env environment; lib library; param parameter; params parameters; repo repository; seq sequence; tmp temporary
num number; nbr number; ord ordinance; res resolution, reservation<dinner party hotel confirmed table>, reserve; tix tickets; bday birthday; hrs. hours
gal gallon, gallons; qt quart, quarts; in inches, inch; yds yards; yd yard; mi miles, mile; km kilometers; nm nautical miles
utd United; mk Mark; re Regarding, regarding; hons honors; revd Reverend; brig Brigadier; ssgt Staff Sergeant
cdr Commander; cdre Commodore; ldr Leader; pte Private; bdr Bombardier; sml small; lge large; bldgs buildings; blk black, block, blocks; wht white; encl enclosure, enclosed; agg aggregate; lv level; lic license; ph phone
pts points, patients, parts; reb rebounds; ast assists; stl steals; yds yards; tds touchdowns; td touchdown; int interior<ext paint day night>, interception<td tds yds qb>, interest<rate apr principal>, intelligence<wis str dex cha con>
anncr announcer; cat category; sched scheduled; sch schedule; rh right hand, relative humidity; fn footnote, function; fns footnotes; lh left hand; n note; s section; r reigned<ad bc bce king pope emperor>
str strength; dex dexterity; wis wisdom; cha charisma; xp experience; yoy year over year; qoq quarter over quarter
ytd year to date; vv verses; ps psalm; pub public; agl above ground level; msl mean sea level
assy assembly; thk thick; dia diameter; od outside diameter; galv galvanized; conc concrete; typ typical; qtr quarter
qtrs quarters; pymt payment; chg charge; dlvd delivered; stmt statement; trx transaction
mdse merchandise; whse warehouse; bkfst breakfast; fwd forward, forwarded; bcc blind copy; subj subject
rept reprint; illus illustrated; narr narrator
btwn between; btw between; ep episode; eps episodes; iss issue; choc chocolate; mag magnitude<quake earthquake star>, magazine<issue editor vogue>; qn queen; vw view; pwdr powder; wkt wicket; wkts wickets; neg negative; probs problems, probably; util utilities; utils utilities; avail available; feat featuring; ll lines
sgl single; dbl double; cmte committee; sqn squadron; mss manuscripts; cres Crescent; pos position, positive<neg test blood>; amp ampere; recs recommendations
"""
READINGS: dict[str, list[str]] = {}
CUES: dict[str, dict[str, frozenset[str]]] = {}
"""Words near an abbreviation that speak for one of its readings, by abbreviation and reading."""
for _entry in _TABLE.replace("\n", ";").split(";"):
    _short, _, _long = _entry.strip().partition(" ")
    if _short and "." not in _short:
        for _reading in _long.split(", "):
            _words, _, _cues = _reading.partition("<")
            if _words not in READINGS.setdefault(_short, []):
                READINGS[_short].append(_words)
            if _cues:
                CUES.setdefault(_short, {})[_words] = frozenset(_cues.rstrip(">").split())
for _short in "prov terr blk flt appx dist div dept sec wk yr mo hr bldg blvd rm hwy rte".split():
    READINGS.setdefault(f"{_short}s", [plural(READINGS[_short][0])])

_NAMES = frozenset(
    "mr mrs ms messrs dr drs prof gen col maj capt cpt lt sgt cpl pvt cmdr adm gov sen rep pres hon"
    " rev fr st sts supt det insp".split()
)
_GO_ON = frozenset(
    "v vs exc excl attn equiv avg bldg ref orig asst mgr cf viz approx incl esp ca c no nos vol p"
    " pp fig ch sec eq btwn btw bet incl abt dep arr".split()
)
"""A name may follow these inside the sentence."""
_ARTICLES = frozenset("the a an my your his her our their this that each every".split())
_KINDS = {
    **dict.fromkeys(sorted(_NAMES), "title"),
    **dict.fromkeys("jan feb mar apr may jun jul aug sep sept oct nov dec".split(), "month"),
    **dict.fromkeys("mon tue tues wed weds thu thur thurs fri sat sun".split(), "weekday"),
    **dict.fromkeys("ave av blvd rd ln ct pl sq hwy pkwy cir ter expy tpke".split(), "street"),
}
"""What kind of thing the first reading of an abbreviation is; all of a kind stand alike."""
_CUES_REACH = 10
_VERBS = frozenset("defeated married featuring produced composed arranged".split())
"""Readings that a name follows, inside the sentence."""
_COUNTED = frozenset(
    "credit volume block edition chapter article book section part point patient term family"
    " individual building apartment box room floor rounds game".split()
)
"""Readings that are more than one after a number."""
_PARTS_OF_DAYS = frozenset(
    "morning mornings afternoon afternoons evening evenings night nights night's noon midnight"
    " lunch brunch dinner eve am pm".split()
)
_MILITARY = frozenset(("gen", "col", "maj", "adm"))
_NO_NAMES = frozenset(("of", "de", "du", "des", "di", "la", "del"))
"""Words that no rank stands before without a stop."""


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
    if low in ("st", "nd", "rd", "th") and text == low:
        return "ordinal"
    if low in FUNCTION_WORDS:
        return "function"
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
    if token.shape == "mixed" or _OPTION.match(text, token.end):
        return  # `PoP`; a command: `rm -rf build`
    beginning = text[max(0, token.start - _REACH) : token.start]
    if word in UNIT_NAMES and _HYPHENED.search(beginning):
        return  # a unit: `15-min. walk`
    inner = stop and text[token.end + 1 : token.end + 2].isalnum()
    shouted = " shouted" if at.tokens.is_shouted(token.start) else ""
    end = token.end + 1 if stop and not inner else token.end
    follows = at.token_after(end)
    if word in _MILITARY and not stop and follows is not None and follows.low in _NO_NAMES:
        return  # `Col de la Madeleine`
    last = at.tokens.neighbour(at.index, -1)
    after, before = _class_of(follows), _class_of(last)
    measured = "" if follows is None else _measured(text, follows)
    timed = _TIME_BEFORE.search(beginning) is not None
    any_capital = token.text.islower() and word not in _NAMES
    at_end = stop and (follows is None or text[end : end + 1] == "\n")
    may_close = at_end or (
        stop and word not in _GO_ON and ends_sentence(text, end, any_capital=any_capital)
    )
    shape = token.shape
    if shape == "single":
        shape = "upper letter" if token.text.isupper() else "lower letter"
    is_word = "word" if at.tokens.knows(word) and word not in _NAMES else "no word"
    fields = sorted(at.tokens.domains) or ["no field"]
    facts_of_fields = [f"{word} in {field}" for field in fields] if READINGS[word][1:] else []
    cued = _cued(at, word)
    kind = _KINDS.get(word, "")
    counted = last is not None and last.kind == "number" and last.text not in ("1", "01")
    counted = counted and len(word) > 1 and at.touches().isspace()
    for index, reading in enumerate(READINGS[word]):
        if word == "re" and token.text.islower() and reading[0].isupper():
            continue  # the subject of a letter
        words = reading
        if words[0].islower() and token.text[0].isupper() and not token.text.isupper():
            words = words[0].upper() + words[1:]
        mark = "stop" if stop else "bare"
        facts = (
            f"{word} {mark}",
            f"{word} > {after}",
            f"{word} < {before}",
            f"{mark} > {after}",
            f"{word} < {before} > {after}" if word in ("st", "dr", "no", "co") else "",
            f"{word} > {measured}" if measured else "",
            f"{word} after time" if timed else "",
            f"touches {at.touches()}" if not at.touches().isspace() else "",
            "st < state" if word == "st" and last is not None and last.text in _COLLEGES else "",
            f"{is_word} {mark} {shape}{shouted}",
            f"{word} {shape}",
            "> many"
            if follows is not None and follows.kind == "number" and len(follows.text) > 2
            else "",
            "> part of a day" if follows is not None and follows.low in _PARTS_OF_DAYS else "",
            f"article {shape}" if at.before() in _ARTICLES else "",
            f"{kind} {shape} > {after}" if kind and not index else "",
            f"{kind} {mark} < {before} > {after}" if kind and not index else "",
            "another is cued" if cued and reading not in cued else "",
            *facts_of_fields,
        )
        form = "cued" if reading in cued else str(index)
        if counted and reading in _COUNTED:
            yield Reading(
                "counted", words + "s", (f"{word} {mark}",), end if stop and not inner else -1
            )
        if stop and not inner:
            is_title = index == 0 and word in _NAMES
            closes = at_end if is_title or reading in _VERBS else may_close
            yield Reading(form, words + ("." if closes else ""), facts, end)
        else:
            yield Reading(form, words, facts)


def _cued(at: Place, word: str) -> set[str]:
    """Return the readings of an abbreviation for which a word nearby speaks."""
    cues = CUES.get(word)
    if cues is None:
        return set()
    around = (
        at.tokens.neighbour(at.index, side * far)
        for far in range(1, _CUES_REACH + 1)
        for side in (-1, 1)
    )
    near = {token.low for token in around if token is not None}
    return {words for words, known in cues.items() if not known.isdisjoint(near)}


CHAT = Grammar("chat", prior={"": 0.5, "unmarked": 3.0}, domains="chat")
_GOES_ON_AFTER_STOP = re.compile(r"\s[a-z0-9@$#&]|[,;:)]")
"""`Pls. call`."""
_UNMARKED = {"im": "I'm", "ive": "I've"}
"""What lacks its apostrophe and is no other word."""
_LETTERS = {"u": "you", "r": "are", "n": "and", "k": "okay", "c": "see", "b": "be"}
_ALTERNATIVES = frozenset(
    "he/she she/he him/her her/him his/her her/his his/hers men/women man/woman yes/no true/false"
    " either/or on/off male/female mother/father father/mother boy/girl boys/girls day/night".split()
)
ALTERNATIVE = Grammar("alternative", prior={"": 0.0, "or": 0.5})


@ALTERNATIVE.at(
    LETTERS, r"(?<![\w/.])(?P<one>[A-Za-z]{1,12})\s?/\s?(?P<other>[A-Za-z]{1,12})(?![\w/]|\.\w)"
)
def alternatives(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    one, other = match["one"], match["other"]
    knows = at.tokens.knows
    facts = (
        "listed" if match[0].lower() in _ALTERNATIVES else "other",
        f"{'known' if knows(one.lower()) else 'unknown'} {'known' if knows(other.lower()) else 'unknown'}",
        f"{min(len(one), 3)} {min(len(other), 3)} {one.isupper()} {other.isupper()}",
        "spaced" if " " in match[0] else "solid",
    )
    yield Reading("or", f"{one} or {other}", facts)
    yield Reading("slash", f"{one} slash {other}", facts)
    if len(one) == len(other) == 1:
        yield Reading("letters", f"{one.upper()} {other.upper()}", facts)
    else:
        yield Reading("side", f"{one} {other}", facts)


@ALTERNATIVE.at(UPPER, r"(?<!\w)(?P<one>[A-Z]{1,3})&(?P<other>[A-Z]{1,3})(?P<many>s?)(?!\w)")
def ampersand(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    tail = "'s" if match["many"] else ""
    facts = (f"{len(match['one'])} {len(match['other'])}",)
    yield Reading("and", f"{letters(match['one'])} and {letters(match['other'])}{tail}", facts)
    if match[0] == "AT&T":
        yield Reading("kept", None, facts)


_WITH_DIGITS = [form for form in CHAT_FORMS if not form.isalpha()]


@CHAT.at(
    "".join(
        sorted({form[0] for form in _WITH_DIGITS} | {form[0].upper() for form in _WITH_DIGITS})
    ),
    rf"(?<!\w)(?:{'|'.join(sorted(_WITH_DIGITS, key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)
def with_digits(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    form = match[0].lower()
    case = "upper" if match[0].isupper() else "lower"
    beside = {at.before(), at.after(match.end())}
    chatty = not beside.isdisjoint(CHAT_FORMS) or not beside.isdisjoint(_LETTERS)
    yield Reading("form", CHAT_FORMS[form], (form, case, f"{case} beside {chatty}"))


@CHAT.at("24", r"(?<![\w.,$€£/])(?P<digit>[24])(?= [A-Za-z])")
def preposition(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    after = at.token_after(match.end())
    before = at.tokens.neighbour(at.index, -1)
    facts = (
        f"< {'none' if before is None else before.kind if before.low not in CHAT_FORMS else 'chat'}",
        f"> {'none' if after is None else after.low if len(after.low) < 4 else 'word'}",
    )
    yield Reading("digit", "for" if match["digit"] == "4" else "to", facts)


@CHAT.at_words(_UNMARKED)
def unmarked(at: Place) -> Iterator[Reading]:
    if at.token.text.islower():
        yield Reading("unmarked", _UNMARKED[at.token.low])


@CHAT.at_words([*(form for form in CHAT_FORMS if form.isalpha()), *_LETTERS])
def chat(at: Place) -> Iterator[Reading]:
    word = at.token.low
    words = _LETTERS.get(word) or CHAT_FORMS[word]
    case = at.token.shape if len(word) > 1 else "upper" if at.token.text.isupper() else "lower"
    end = at.token.end
    goes_on = at.text[end : end + 1] == "." and _GOES_ON_AFTER_STOP.match(at.text, end + 1)
    before, after = at.tokens.neighbour(at.index, -1), at.token_after(end)
    beside = f"{_class_of(before)} {_class_of(after)}"
    facts = (case, word, f"{word} {case}", f"{case} {beside}" if len(word) < 2 else "")
    yield Reading("form", words, facts, end + 1 if goes_on else end)
    if word == "ur":
        yield Reading("is", "you're", (at.token.shape, "ur"))


_SAID = {
    "hba": "H B A", "spo": "S P O", "etco": "E T C O",
    "wwi": "World War one", "wwii": "World War two", "json": "Jason", "yaml": "yammel",
    "wifi": "Wi-Fi", "asap": "ASAP", "leds": "L E D's", "stdin": "standard in", "stdout": "standard out",
    "stderr": "standard error", "mkdir": "make dir", "rmdir": "remove dir", "sqlite": "S Q lite",
}  # fmt: skip


@CHAT.at_words(_SAID)
def respelled(at: Place) -> Iterator[Reading]:
    yield Reading("said", _SAID[at.token.low], (at.token.low,))


DOSAGE = Grammar(
    "dosage", prior={"": 0.0}, domains="medicine",
    before="mg mcg ml tab tabs tablet tablets cap caps capsule capsules puffs units drops po iv im pill",
    after="prn for x with as daily days",
)  # fmt: skip
_FREQUENCIES = {
    "bid": "twice a day", "tid": "three times a day", "qid": "four times a day",
    "qd": "once a day", "qod": "every other day", "qhs": "at bedtime", "qam": "every morning",
    "qpm": "every evening", "qwk": "once a week", "hs": "at bedtime", "ac": "before meals",
    "pc": "after meals", "po": "by mouth", "sl": "under the tongue", "sc": "subcutaneously",
    "sq": "subcutaneously", "subq": "subcutaneously", "prn": "as needed",
}  # fmt: skip


@DOSAGE.at_words(_FREQUENCIES)
def frequency(at: Place) -> Iterator[Reading]:
    token = at.token
    before, after = at.before(), at.after(token.end)
    dosed = (
        "dose" if before in DOSAGE.words_before or before in _FREQUENCIES or before == "."
        else "every" if re.fullmatch("q?[0-9]+h?|h", before) else "other"
    )  # fmt: skip
    facts = (f"{token.low} {dosed}", f"{dosed} {token.shape}", f"> {after[:1].isalpha()}")
    yield Reading("often", _FREQUENCIES[token.low], facts)
    if token.low == "prn" and after[:1].isalpha():
        yield Reading("for", "as needed for", (*facts, f"> {after if len(after) < 4 else 'word'}"))


_DOSES = {"tab": "tablet", "tabs": "tablets", "cap": "capsule", "caps": "capsules"}


@DOSAGE.at_words(_DOSES)
def dose(at: Place) -> Iterator[Reading]:
    before, after = at.before(), at.after(at.token.end)
    counted = "counted" if before[:1].isdigit() or before in ("one", "two", "half") else "bare"
    field = "medicine" if "medicine" in at.tokens.domains else "elsewhere"
    often = "often" if after in _FREQUENCIES or after in ("daily", "twice") else "other"
    facts = (f"{counted} {field}", f"{counted} {often}")
    yield Reading("dose", _DOSES[at.token.low], facts)
    end = at.token.end
    if at.text[end : end + 1] == "." and not ends_sentence(at.text, end + 1, any_capital=True):
        yield Reading("dose", _DOSES[at.token.low], (*facts, "stop"), end + 1)


@DOSAGE.at(
    "bqtpBQTP",
    r"(?<![\w.])(?P<word>[bqt]\.i\.d|q\.d|q\.h\.s|p\.r\.n|p\.o)\b(?P<dot>\.?)(?!\w)",
    re.IGNORECASE,
)
def dotted_frequency(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = _FREQUENCIES[match["word"].lower().replace(".", "")]
    facts = (match["word"], "medicine" if "medicine" in at.tokens.domains else "elsewhere")
    closes = bool(match["dot"]) and ends_sentence(at.text, match.end(), any_capital=True)
    yield Reading("dotted", words + ("." if closes else ""), facts)


AGE = Grammar("age", prior={"": 1.5}, domains="medicine")


_PEOPLE = frozenset(
    "i me my bf gf husband wife boyfriend girlfriend friend sister brother mom dad mother father"
    " fiance fiancee roommate partner ex son daughter cousin boss coworker".split()
)
_AGE_AND_SEX = re.compile(r"[(\[ ][1-9][0-9][MF](?!\w)")


@AGE.at(DIGITS, r"(?<=[(\[ ])(?P<years>[1-9][0-9])(?P<sex>[MF])(?=[)\] ,.])")
def age_and_sex(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `my bf (30M)`, as people tell of themselves."""
    beside = {at.before(), at.before(2)}
    if (
        not beside.isdisjoint(_PEOPLE)
        or len(_AGE_AND_SEX.findall(nearby(at.text, *match.span()))) > 1
    ):
        yield Reading("sex", f"{at.numbers.cardinal(match['years'])} {match['sex']}")


@AGE.at(
    DIGITS,
    r"(?<![\w.])(?P<years>[0-9]{1,3})[ -]?(?:y/?o|yo)(?: (?P<sex>[MF]))?(?!\w)",
    re.IGNORECASE,
)
def age(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    years = at.numbers.cardinal(match["years"])
    after = at.after(match.end())
    noun = "noun" if after[:1].isalpha() else "end"
    if match["sex"]:
        sex = "male" if match["sex"] in "mM" else "female"
        yield Reading("sex", f"{years}-year-old {sex}", (noun,))
        return
    yield Reading("old", f"{years}-year-old", (noun,))
    yield Reading("years old", f"{years} years old", (noun,))


PHRASE = Grammar("phrase", prior={"": 1.5})
_PHRASES = {
    "e.g.": ("for example", "E G"),
    "i.e.": ("that is", "I E"),
    "et al.": ("and others", "et al"),
    "et al": ("and others", "et al"),
    "tl;dr": ("T L D R",),
    "ph.d.": ("PhD",),
    "ph.d": ("PhD",),
    "w/e": ("whatever", "weekend"),
    "a.k.a.": ("also known as",),
    "p.a.": ("per annum",),
    "sl st": ("slip stitch",),
    "c/o": ("care of", "complains of"),
    "s/p": ("status post",),
    "y/o": ("year old",),
    "d/b/a": ("doing business as",),
    "op. cit.": ("op cit",),
    "et seq.": ("et seq",),
    "w/o": ("without",),
    "w/out": ("without",),
    "w/in": ("within",),
    "w/": ("with",),
    "b/c": ("because",),
    "b/w": ("between", "black and white"),
    "n/a": ("N A",),
    "n.d.": ("no date", "N D"),
    "r/o": ("rule out",),
    "h/o": ("history of",),
    "f/u": ("follow up",),
    "y/y": ("year over year",),
    "q/q": ("quarter over quarter",),
    "m/m": ("month over month",),
    "and/or": ("and or",),
    "int./ext.": ("interior exterior",),
    "pub. l.": ("public law",),
    "o.c.": ("on center",),
    "w/v": ("weight by volume",),
    "v/v": ("volume by volume",),
    "w/w": ("weight by weight",),
    "p/n": ("part number",),
    "s/n": ("serial number",),
    "d/c": ("discontinue", "discharge"),
    "t/f": ("true or false",),
    "ft/pt": ("full time or part time",),
    "pt/ft": ("part time or full time",),
    "o/u": ("over under",),
    "p/t": ("part time", "P T"),
    "f/t": ("full time", "F T"),
    "dbl-sp.": ("double spaced",),
    "s/h": ("shipping and handling",),
    "s&h": ("shipping and handling", "S and H"),
    "pct. pts.": ("percentage points",),
    "pct. pt.": ("percentage point",),
    "pct. points": ("percentage points",),
    "bus. days": ("business days",),
    "bus. day": ("business day",),
    "bus. hrs.": ("business hours",),
    "no. of": ("number of",),
    "lat/long": ("latitude longitude",),
    "10-k": ("ten K",),
    "10-q": ("ten Q",),
    "8-k": ("eight K",),
    "uv idx": ("U V index",),
    "heat idx.": ("heat index",),
    "heat idx": ("heat index",),
    "ww1": ("World War one",),
    "ww2": ("World War two",),
    "fed. r. civ. p.": ("Federal Rule of Civil Procedure",),
    "fed. r. crim. p.": ("Federal Rule of Criminal Procedure",),
    "fed. r. app. p.": ("Federal Rule of Appellate Procedure",),
    "fed. r. evid.": ("Federal Rule of Evidence",),
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
        after = at.after(match.end())
        facts = (
            written,
            "upper" if match[0].isupper() else "lower",
            f"{index} {written} {'medicine' if 'medicine' in at.tokens.domains else 'elsewhere'}",
            f"{index} {written} > {_class_of(at.token_after(match.end())) if after else 'edge'}",
        )
        closes = written.endswith(".") and ends_sentence(at.text, match.end(), any_capital=True)
        named = written in ("a.k.a.", "et al.", "c/o", "e.g.", "i.e.") and after
        yield Reading(str(index), words + ("." if closes and not named else ""), facts)
