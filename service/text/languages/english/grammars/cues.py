"""Words near numbers that ask for one reading of them: `odds of 5/2`, `due 5/2`, `simplify 5/2`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from service.text.lattice.grammar import Asked
from service.text.lattice.tokens import Tokens

_REACH_BEFORE, _REACH_AFTER = 8, 4
_NEAR = 3
_ENDS = frozenset(".!?;")


def _table(rows: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the kinds that a word asks for, by the word."""
    found: dict[str, set[str]] = {}
    for kinds, words in rows.items():
        for word in words.split():
            found.setdefault(word, set()).update(kinds.split(", "))
    return {word: frozenset(kinds) for word, kinds in found.items()}


class _Shape:
    """How numbers stand to each other, with the words that tell what they are.

    Args:
        pattern: of the numbers, matched at the first.
        before: words before them, by the kinds of candidates that they ask for.
        after: likewise, words behind them.
    """

    def __init__(self, pattern: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        self.pattern = re.compile(pattern)
        self.before, self.after = _table(before), _table(after)
        self.rivals = frozenset().union(*self.before.values(), *self.after.values())


_DAYS = "mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday"
_OF = "of.of, of.out of"
_SCORES = "score.plain, score.to, score.nil, score.all"
_CODES = "digits.single, digits.pairs, digits.oh, year.plain, year.three"
_CLOCK = "time.plain, time.o'clock, time.bare, time.hundred, time.oh, time.zero"
_LENGTH = "duration.full, duration.clock, duration.and, duration.race"

_SLASH = _Shape(
    r"(?<![\w/.])[0-9]+\s?/\s?[0-9]+(?![\w/]|\.[0-9])",
    {
        "of.out of": "pain rated rating ratings rates rate score scored scores scoring grade graded gave"
        " give gives mark marks marked review reviews severity difficulty spice spiciness scale"
        " comfort confidence mood energy overall quiz test exam solid easy",
        _OF: "step steps quest quests objective objectives part page slide question level task"
        " replica replicas pods tests episode phase stage attempt try retry lesson section tweet"
        " thread photo image item items hp mp health mana shield downloaded processed loading"
        " progress completed done passed finished volume issue",
        "of.for": "wicket wickets overs stumps innings tea bowled declared cricket batting crease opener"
        " england india australia pakistan",
        "of.of, of.for": "shooting shot shots threes throws hit made converted downs",
        "over.pairs": "bp pressure systolic diastolic hypertension cuff vitals",
        "of.side": "vision sight eyesight acuity meter waltz march jig polka signature mpg",
        "odds.to": "odds favorite favourite bet bets backed backing bookies bookie bookmaker"
        " bookmakers moneyline horse colt mare filly priced drifted shortened longshot outsider"
        " tipped wager punt punter runner runners evens",
        "date.short": "due ends end ended on by until since before after thru till from through"
        " posted updated dated delivered shipped ships received returned effective deadline"
        " expires expired starts start started begins began born birthday opening closed scheduled"
        f" rescheduled payable hearing moved resumes resume closes opens date dates {_DAYS}",
        "fraction.plain, fraction.a": "fraction fractions simplify reduce rewrite improper proper"
        " equivalent convert add subtract divide multiply probability chance equals cup cups"
        " inch inches tsp tbsp about nearly almost roughly drill plywood wrench bolt numerator",
    },
    {
        "of.out of": "stars rating overall would",
        _OF: "complete passing tests tasks items files steps green ready running healthy pods"
        " checks correct done people",
        "of.side": "mpg time vision beat",
        "odds.to": "favorite favourite odds shot outsider chance underdog",
        "date.short": "at @",
        "fraction.plain, fraction.a": "of cup cups inch inches tsp tbsp mile miles teaspoon teaspoons"
        " tablespoon majority vote share full scale turn in plywood pound pounds wrench"
        " bolt socket drill bit nut",
    },
)
_DASH = _Shape(
    r"(?<![\w.,/$€£-])[0-9]+(?:\s[-–—]\s|[-–—−])[0-9]+(?!\w|[.,/:-][0-9])",
    {
        f"{_SCORES}, score.and": "ahead behind",
        _SCORES: "won win wins winning beat beats beating defeat defeated defeating victory lost lose"
        " loses loss losing led leads lead leading trail trails trailed trailing tied tie draw drew"
        " final up down halftime ht ft ot overtime aggregate game inning quarter cup rout routed"
        " edged crushed upset topped downed shutout goal goals score scored scoring versus vs"
        " finished finish match",
        "score.to": "vote votes voted passed ruled ruling panel justices council approved rejected"
        " senate house committee board split",
        "score.and": "record records improved fell stand stands standing sits season undefeated"
        " unbeaten overall conference winless started opener",
        "score.and, score.plain": "count pitch pitcher batter bases inning fouled plate hitter",
        "score.love, score.plain": "serving serve serves served deuce volley baseline umpire racket"
        " set sets tiebreak",
        "range.plain, range.pairs, range.years": "from between about around pages pp ages aged years"
        " hours takes take lasts for every open daily winds wind highs high lows low gusts serves"
        " feeds seats weeks items rows questions verses lines figs tables chapters rooms sizes"
        " scale",
        "difference.minus": "compute calculate subtract minus equals simplify evaluate solve"
        " difference answer sum plus what's",
        "odds.to": "odds longshot favorite favourite bet bets bookies underdog priced",
    },
    {
        _SCORES: "win victory loss defeat lead rout upset shutout final decision draw tie vote",
        "score.and": "record start season run",
        "range.plain, range.pairs": "years days minutes hours weeks months percent people pages miles"
        " lbs pounds mph degrees times servings min mins reps inches ft feet knots kg players"
        " students guests business times % ° hrs yrs yr minute hour day week year points range",
        "odds.to": "odds favorite favourite shot underdog",
        "score.and, score.plain": "pitch count",
        "difference.minus": "= equals",
    },
)
_COLON = _Shape(
    r"(?<![\w:.])[0-9]+:[0-9]+(?![\w:]|\.[0-9])",
    {
        "ratio.to": "ratio ratios mix mixed mixing blend dilute diluted dilution thin thinned"
        " proportion proportions scale aspect reduction gear slope ramp grade odds steeper"
        " concentration outnumbered",
        "ratio.on": "my our weekly your his her their monthly",
        _CLOCK: "at by until till since before after around past till @ alarm meeting bus train"
        f" doors kickoff showtime appointment arrives departs leaves opens closes wake woke {_DAYS}",
        _LENGTH: "timer countdown stopwatch ran runs finished finish pace pb pr lap split splits"
        " lasted lasts runtime duration length record marathon mile plank song track video in was",
    },
    {
        "ratio.to": "ratio mix scale blend aspect gear odds dilution reduction slope",
        "ratio.on": "with meeting meetings chat sync session call",
        _CLOCK: "am pm a p et ct pt est edt pst gmt utc cet tonight today tomorrow sharp"
        f" appointment train bus flight meeting show o'clock service class on {_DAYS}",
        _LENGTH: "left remaining long pace lap mile marathon split",
    },
)
_NUMBER = _Shape(
    r"(?<![\w.,:/$€£#-])[0-9]{3,4}(?![\w%°]|[.,:/-][0-9])",
    {
        _CODES: "room flight gate exit hwy highway route rte rt interstate apt suite unit locker bus"
        " boeing airbus ste rm bldg course class",
        "digits.single, digits.oh": "code pin passcode password combination dial press call extension ext"
        " zip squawk",
        "cardinal.plain": "only just over under nearly almost than exactly some all these those gave"
        " score answer total equals costs cost weigh weighs price population distance worth sum"
        " were are about roughly another",
        "year.plain, year.three": "in since until till circa early late mid spring summer fall winter"
        " january february march april may june july august september october november december"
        " year founded built born died established dated back",
    },
    {
        "cardinal.plain": "of people votes seats points dollars more members men women children times"
        " miles words pages meters feet pounds euros years days others",
        "year.plain, year.three": "bc ad ce bce",
    },
)
_SHAPES = (_SLASH, _DASH, _COLON, _NUMBER)


def asked(tokens: Tokens, index: int) -> Asked | None:
    """Return what the words near a number ask for; None if they ask for nothing."""
    start = tokens.tokens[index].start
    for shape in _SHAPES:
        match = shape.pattern.match(tokens.text, start)
        if match is not None:
            end = tokens.at.get(match.end())
            return None if end is None else _asked(shape, tokens, index, end)
    return None


def _asked(shape: _Shape, tokens: Tokens, index: int, end: int) -> Asked | None:
    nearest: dict[str, int] = {}
    for table, place, step, reach in (
        (shape.before, index, -1, _REACH_BEFORE),
        (shape.after, end - 1, 1, _REACH_AFTER),
    ):
        for distance in range(1, reach + 1):
            token = tokens.neighbour(place, step * distance)
            if token is None or (token.text in _ENDS and distance > 1):
                break
            for kind in table.get(token.low, ()):
                nearest[kind] = min(distance, nearest.get(kind, distance))
    if not nearest:
        return None
    closest = _name(min(nearest.values()))
    answers = dict.fromkeys(shape.rivals, f"not asked {closest}")
    answers |= {kind: f"asked {_name(distance)}" for kind, distance in nearest.items()}
    return Asked(end, answers)


def _name(distance: int) -> str:
    return "beside" if distance == 1 else "near" if distance <= _NEAR else "far"
