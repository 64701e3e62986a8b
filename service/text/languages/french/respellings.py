"""What espeak-ng misreads in French, and what it is to read instead."""

from __future__ import annotations

import re
from collections.abc import Mapping

from service.text.languages.language import Respell, named_letters

# espeak-ng pronounces the t of vingt in these if they are one word.
_FOUR_TWENTIES = re.compile(
    r"\bquatre-vingt-(?=(?:deux|trois|quatre|cinq|six|sept|huit|neuf|onze)(?:ième)?\b)",
    re.IGNORECASE,
)

_FRENCH_WORDS = {
    "iPhone": "aïe-fonne",
    "iPhones": "aïe-fonne",
    "iPad": "aïe-pad",
    "iPads": "aïe-pad",
    "iPod": "aïe-pode",
    "iMac": "aïe-maque",
    "iOS": "aïe-o-esse",
    "eBay": "ibè",
    "Facebook": "fesse-bouc",
    "Google": "gougueul",
    "Bluetooth": "blou-tousse",
    "LinkedIn": "linnkdine",
    "Netflix": "néteflixe",
    "TikTok": "tiktoque",
    "WhatsApp": "ouatsape",
    "WiFi": "ouifi",
    "Wi-Fi": "ouifi",
    "wifi": "ouifi",
    "YouTube": "youtoube",
    "CROUS": "crousse",
    "ENA": "éna",
    "INSEE": "innsé",
    "Insee": "innsé",
}

# Sons are /fis/ and threads /fil/. One thread is "fil", so that "le fils" is a son; espeak-ng takes
# those of a plural for threads.
_SONS = re.compile(r"\b[Ff]ils\b")
_THREADS = re.compile(
    r"\b(?:sans[ ]fils|fils[ ](?:électriques?|conducteurs?|barbelés?|dentaires?|rouges?|bleus?"
    r"|noirs?|blancs?|verts?|jaunes?|métalliques?|torsadés?|emmêlés?|dénudés?|invisibles?|tendus?|fins?"
    r"|d['’](?:or|argent|acier|alimentation|actualité|araignée)"
    r"|d[eu][ ](?:fer|soie|coton|laine|nylon|cuivre|lin|couture|discussion|cuisson|pêche|suture"
    r"|téléphone|marionnettes?|chaîne|trame|réseau|terre))|bobines?|pelotes?|câbles?|cuivre|coudre"
    r"|couture|aiguilles?|tiss\w{1,8}|brancher?|branchez|tricot\w{0,4}|brod\w{1,6}|ficelles?"
    r"|électricien\w{0,2}|marionnett\w{1,6}|araignées?|courant|prises?)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:le|du|au|un|mon|ton|son|notre|votre|leur|ce|quel|tel|beau|petit|fils)[ -]\Z",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|\Z)")


def _fils(match: re.Match[str]) -> str:
    text, start, end = match.string, *match.span()
    if _ONE.search(text, max(0, start - 12), start):
        return "fisse"
    first = max((m.end() for m in _SENTENCE_END.finditer(text, 0, start)), default=0)
    last = _SENTENCE_END.search(text, end)
    sentence = text[first : last.start() if last else len(text)]
    return "fil" if _THREADS.search(sentence) else "fisse"


# espeak-ng links every -s, -x and -z to a vowel after it. Those of a name stay silent; an
# apostrophe before the vowel says so. Words that are linked are few, and may have a capital.
_VOWEL_AFTER_S = re.compile(r"(?<=[sxz] )[aeiouyhàâäéèêëîïôöûüœ]", re.IGNORECASE)
_LAST_WORD = re.compile(r"[^\W\d_][\w'’-]*[sxz] \Z")
_LINKED = re.compile(
    r"les|[dmtscn]es|[nv]os|leurs|aux|[nv]ous|ils|elles|deux|trois|six|dix|quel(?:le)?s|sans|sous"
    r"|certain(?:e)?s|plusieurs|quelques|autres|divers(?:es)?|très|plus|moins|dans|chez|dès|après"
    r"|grand(?:e)?s|gros(?:ses)?|petit(?:e)?s|bon(?:ne)?s|beaux|belles|vieux|vieilles|nouveaux"
    r"|nouvelles|premi(?:er|ère)s|derni(?:er|ère)s|jeunes|ancien(?:ne)?s|mauvais(?:es)?|nations|jeux"
    r"|états|affaires|arts|champs|pays|puis|jamais|toujours|mais|toutes|tous|vas|suis|es|étais|fais"
    r"|avez|êtes|sommes|étiez|vers|depuis|hors|mille|quatre-vingts|cents",
    re.IGNORECASE,
)
_LONGEST_NAME = 40


def _unlinked(match: re.Match[str]) -> str:
    start = match.start()
    last = _LAST_WORD.search(match.string, max(0, start - _LONGEST_NAME), start)
    if last is None or not last[0][0].isupper() or _LINKED.fullmatch(last[0].strip()):
        return match[0]
    return f"'{match[0]}"


def _by_word(words: Mapping[str, str]) -> tuple[re.Pattern[str], Respell]:
    alternatives = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{alternatives})(?![\w-])")
    return pattern, lambda match: words[match[0]]


RESPELLINGS: tuple[tuple[re.Pattern[str], Respell], ...] = (
    (_FOUR_TWENTIES, lambda match: "quatre-vingts "),
    (_SONS, _fils),
    (_VOWEL_AFTER_S, _unlinked),
    _by_word(_FRENCH_WORDS),
    named_letters({"Y": "i grec"}),
)
"""Applied in order."""

# Emoji whose names end in an English word. espeak-ng reads arbitrary memory in place of that word.
# Of all symbols up to U+1FFFF, with every voice, only these three are affected.
NAMES = {
    ord("📸"): " appareil photo avec flash ",
    ord("🤽"): " personne jouant au water-polo ",
    ord("🤾"): " personne jouant au handball ",
}
"""Their names."""
