"""Short forms of chats and text messages: `idk`, `tmrw`, `u`, `gr8`."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import text_after, text_before, word_set
from service.text.normalization.rules import Rule

FORMS = {
    "idk": "I don't know",
    "idc": "I don't care",
    "idgaf": "I don't care",
    "ikr": "I know, right",
    "iirc": "if I recall correctly",
    "imo": "in my opinion",
    "imho": "in my humble opinion",
    "afaik": "as far as I know",
    "afk": "away from keyboard",
    "atm": "at the moment",
    "bbl": "be back later",
    "bc": "because",
    "bday": "birthday",
    "brb": "be right back",
    "btw": "by the way",
    "cuz": "because",
    "ppl": "people",
    "pls": "please",
    "plz": "please",
    "dm": "direct message",
    "ftw": "for the win",
    "fwiw": "for what it's worth",
    "gg": "good game",
    "gn": "good night",
    "gr8": "great",
    "hbu": "how about you",
    "wbu": "what about you",
    "hmu": "hit me up",
    "icymi": "in case you missed it",
    "ily": "I love you",
    "irl": "in real life",
    "jk": "just kidding",
    "l8r": "later",
    "l8": "late",
    "lmk": "let me know",
    "m8": "mate",
    "msg": "message",
    "msgs": "messages",
    "ngl": "not gonna lie",
    "np": "no problem",
    "nvm": "never mind",
    "obv": "obviously",
    "obvs": "obviously",
    "omw": "on my way",
    "rn": "right now",
    "smh": "shaking my head",
    "tbh": "to be honest",
    "tbf": "to be fair",
    "thx": "thanks",
    "tnx": "thanks",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "tmw": "tomorrow",
    "2moro": "tomorrow",
    "2nite": "tonight",
    "tonite": "tonight",
    "ttyl": "talk to you later",
    "ty": "thank you",
    "tysm": "thank you so much",
    "tyvm": "thank you very much",
    "wdym": "what do you mean",
    "wtf": "what the F",
    "wyd": "what are you doing",
    "yw": "you're welcome",
    "ur": "your",
    "b4": "before",
    "w8": "wait",
    "h8": "hate",
    "str8": "straight",
    "sry": "sorry",
    "srsly": "seriously",
    "abt": "about",
    "rly": "really",
    "prob": "probably",
    "probs": "probably",
    "def": "definitely",
    "ofc": "of course",
    "fr": "for real",
    "omfg": "OMG",
    "omg": "OMG",
    "fyi": "FYI",
    "eta": "ETA",
    "faq": "FAQ",
    "diy": "DIY",
    "rsvp": "RSVP",
    "tba": "TBA",
    "tbd": "TBD",
    "pov": "POV",
    "bff": "BFF",
    "tgif": "TGIF",
}
# Also symbols of units, names and words: only without a number before, in plain small letters.
_FORM = re.compile(
    rf"(?<![\w.@#/\\'’$-])(?:{'|'.join(sorted(map(re.escape, FORMS), key=len, reverse=True))})"
    r"(?![\w/@\\'’(=-]|\.\w)"
)
_CASED_FORM = re.compile(
    r"(?<![\w.@#/\\'’$-])(?P<form>IDK|IDC|IMO|IMHO|BTW|BRB|NVM|TTYL|LMK|OMW|TBH|NGL"
    r"|SMH|AFAIK|IIRC|THX"
    r"|TY|PLS|PLZ|NP|Idk|Idc|Imo|Btw|Brb|Nvm|Lmk|Omw|Tbh|Ngl|Thx|Pls|Plz|Np|Tmrw"
    r"|Gr8|Omg|Afaik|Sry"
    r"|Fyi)(?![\w/@\\'’(=-]|\.\w)"
)
_AMBIGUOUS = word_set("atm bbl def dm fr gg gn np prob eta bc ty")
_NUMBER_BEFORE = re.compile(r"[0-9][ ]?\Z")
_WHATEVER = re.compile(r"\bw/e(?!\w)")
_YOU = re.compile(
    r"(?<![\w.@#/\\'’$=+*^<>(-])(?<![=+*<>] )[urnk](?![\w/@\\'’(=)^-]|\.\w|[ ][=+*<>-])"
)
_FOR = re.compile(
    r"(?<=[a-z][ ])4(?=[ ](?:u|you|me|us|him|her|it|them|ever|sure)(?!\w))"
    r"|(?<=[a-z][ ])2(?=[ ]u(?!\w))"
    r"|(?:(?<=thx[ ])|(?<=thanks[ ])|(?<=pls[ ])|(?<=waiting[ ])|(?<=time[ ])|(?<=ready[ ]))4"
    r"(?=[ ](?:the|ur|your|this|that|all|everything|coming|a|some|my)(?!\w))"
)
_CHATTY = re.compile(
    r"\b(?:idk|lol|omg|btw|pls|plz|thx|tmrw|u|ur|ok|hey|hi|yo|gonna|wanna|see|love"
    r"|thank|miss|can|do|r|are"
    r"|if|what|how|when|where|did|call|text|meet|told|for|with|to|you|me|i|so|need"
    r"|want|hope|will|and)"
    r"(?!\w)"
)
_YOU_ARE = re.compile(
    r"(?<![\w.@#/'’-])ur(?=[ ](?:so|not|the|a|an|right|wrong|welcome|going|gonna"
    r"|kidding|late|crazy|amazing|all|just"
    r"|too|very|always|never|still|in|[a-z]{3,}ing)(?!\w))"
)
_SEE_YOU = re.compile(r"(?<![\w.@#/'’-])c (?:u|ya)(?!\w)")
_BE = re.compile(r"(?<=gonna )b(?= )|(?<=will )b(?= [a-z]{2})|(?<='ll )b(?= [a-z]{2})")
_REPEATED = re.compile(r"(?P<sign>[%$€£#^~])(?P=sign){1,30}")


def rules() -> tuple[Rule, ...]:
    """Return the rules for chats."""
    return (
        Rule(_YOU_ARE, lambda match: "you're"),
        Rule(_SEE_YOU, lambda match: "see you"),
        Rule(_BE, lambda match: "be"),
        Rule(_WHATEVER, lambda match: "whatever"),
        Rule(_REPEATED, _once),
        Rule(_FORM, _form),
        Rule(_CASED_FORM, lambda match: _capital(FORMS[match["form"].lower()])),
        Rule(_FOR, lambda match: "for" if match[0] == "4" else "to"),
        Rule(_YOU, _you),
    )


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _form(match: re.Match[str]) -> str | None:
    form = match[0]
    if _NUMBER_BEFORE.search(text_before(match)):
        return None
    if form in _AMBIGUOUS and not _is_chat(match):
        return None
    return FORMS[form]


def _is_chat(match: re.Match[str]) -> bool:
    """Tell whether an ambiguous form stands where a chat has it."""
    before, after = text_before(match), text_after(match)
    alone = not before.strip() and re.match(r"\s*\Z|[,!.]|[ ](?:for|so|very|all|u|you)\b", after)
    final = re.search(r"[a-z,]\s\Z", before) and re.match(r"\s*(?:\Z|[.!?,]\s*\Z)", after)
    if match[0] in ("def", "dm", "eta", "bc"):
        nexts = {"def": r"[ ](?:not|going|a|the|be|will|coming)\b", "dm": r"[ ](?:me|us)\b"}
        nexts |= {
            "eta": r"[ ](?:is|for)\b|[?:]",
            "bc": r"[ ](?:i|it|he|she|they|we|you|of|the|my)\b",
        }
        return re.match(nexts[match[0]], after) is not None
    return bool(alone or final)


def _you(match: re.Match[str]) -> str | None:
    """Return the word for a small letter that stands for one."""
    letter, before, after = match[0], text_before(match), text_after(match)
    if letter in ("n", "k"):
        return None
    if letter == "u":
        word_before = re.search(r"[A-Za-z,!?.][ ]\Z", before) is not None
        is_chat = _CHATTY.search(before + after) is not None
        starts = not before and re.match(r"[ ][a-z]", after)
        return "you" if (word_before or starts) and is_chat else None
    return (
        "are"
        if re.match(r"[ ](?:u|you|we|they)(?!\w)", after)
        or before.endswith(("u ", "you ", "we ", "they "))
        else None
    )


def _once(match: re.Match[str]) -> str | None:
    before = match.string[match.start() - 1 : match.start()]
    if match["sign"] == "%" and not before.isdigit():
        return " " if before.isspace() or not before else None
    return match["sign"] if match["sign"] in "%$€£" else None
