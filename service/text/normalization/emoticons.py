"""Typed faces and hearts: pictures, or only letters, numbers and brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from service.text.normalization.rules import Rule

_EMOTICONS = {
    "🙂": ":) :-) (: (-: :] =) :^) ^_^ ^^ (^_^)",
    "🙁": ":( :-( ): =( :[ :-[",
    "😉": ";) ;-) ;D ;-D",
    "😃": ":D :-D =D",
    "😆": "XD xD",
    "😛": ":P :-P :p :-p =P ;P ;-P",
    "😮": ":O :-O :o :-o",
    "😕": ":/ :-/ =/ :\\ :-\\",
    "😐": ":| :-| -_-",
    "😢": ":'( :’( ;_; T_T",
    "😂": ":') :’)",
    "😘": ":* :-*",
    "😎": "B) B-) 8-)",
    "😖": ">_< >.<",
    "😳": "o_O O_o O_O o_o",
    "🤷": "¯\\_(ツ)_/¯ ¯_(ツ)_/¯ ¯\\(ツ)/¯ ¯(ツ)/¯",
    "❤": "<3",
    "💔": "</3",
}
_PICTURE_OF = {
    emoticon: picture for picture, drawn in _EMOTICONS.items() for emoticon in drawn.split()
}

# Where `<3` is a bound: after a variable, or after what is counted or measured.
MEASURED = "差率度值数數分龄齢量比级級价温压圧长長重距"
_BOUNDED = re.compile(
    r"(?:(?<!\w)[nxyztNXYZ]|[0-9)\]%]|\b(?:[Ss]cor(?:e|es|ed)|[Gg]rades?|GPA|[Rr]at(?:ings?|es?|ios?)"
    r"|pH|INR|[Ll]evels?|[Vv]alues?|[Cc]ounts?|[Ss]izes?|[Dd]epth|[Ll]ength|[Aa]ged?|[Ss]tages?|[Rr]ank"
    r"|[Ii]ndex|[Ff]actor|[Mm]agnitude|[Ee]rrors?|[Ll]atency|[Ll]oad|[Tt]emp(?:erature)?|[Rr]isk"
    r"|[Dd]istance|[Dd]ose|[Cc]reatinine|[Pp]otassium|[Ll]actate|[Dd]uration|[Vv]ersions?)"
    rf"|[{MEASURED}])[ ]\Z"
)
# For hearts beside Chinese and Japanese words, which have no spaces: 我<3你, 大好き<3.
HAN = "\u4e00-\u9fff"
ENDS = r"(?=[\s。、,.!~！～]|\Z)"

# `B)` is the letter of an answer or a plan, except after words that no letter follows.
_SHADES = ("B)", "B-)", "8-)")
_MARKER = re.compile(r"(?<![\w(])(?:[A-Za-z]|[0-9]{1,3})\)(?![^\s.,;:!?])")
_FEELING_BEFORE = re.compile(
    r"(?<!\w)(?:cool(?:er|est)?|nice|great|awesome|sweet|good|best|better|fine|chill(?:ed|in|ing)?"
    r"|easy|ready|done|happy|amazing|fantastic|perfect|epic|legend(?:ary)?|fresh|smooth"
    r"|(?:with|did|got|made|loved?|liked?|nailed|rock|killed|doing) it"
    r"|(?:thank|see|love|miss) (?:you|u|ya)|thanks|thx|ty|bye|hi|hey|yo|bro|dude|man|guys|boss|swag"
    r"|now|today|tonight|tomorrow|later|soon|again|always|forever|here|there|everywhere|too|well"
    r"|yeah|yes|yep|yup|ok|okay|sure|lol|lmao|(?:ha){2,8}h?|(?:he){2,8}|(?:ja){2,8}|beach|vacation"
    r"|sunglasses|shades|genial|guay|bien|super|génial|bacana|legal|bello|figo)[.!…]{0,4}[ ]?\Z",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"[.!…]*[ \t]*(?:\n|\Z)")
_BEFORE_LETTERS = """
option options plan plans part parts section answer answers choice exhibit point item type class
group grade team vitamin hepatitis appendix figure fig table step question side level row column
room building terminal gate zone series category schedule block unit version model letter note
paragraph variant scenario case route path line door box bus size form list tier phase task stage
package bundle seat platform wing floor house entrance exit lane key solution chapter volume
article clause problem exercise example statement sentence the and for with from into than that
this these those are was were been being its not but nor per via versus about between either both
would could should will can may might must did does choose chose chosen pick picked select
selected circle circled tick ticked check checked mark marked label labeled labelled call called
name named say says said think thought guess prefer preferred take took taken want wanted need
needed vote voted use used get give see read try tried like liked one two three four five six
seven eight nine ten
"""
_LETTERED = frozenset(_BEFORE_LETTERS.split())
"""Words before a letter that stands for something."""
_NOT_ASKED = re.compile(r"[.,!;:…]*(?:\s|\Z)")

# `XD` is also a name: `Adobe XD`, `the XD model`.
_LAUGHTER = ("XD", "xD")
_NOUN_NEEDED = re.compile(
    r"(?<!\w)(?:the|an?|this|my|your|his|her|our|their|in|on|with|of|for|to|and|or|from|by|using|via"
    r"|uses?|used|likes?|loves?|prefers?|learn|open|try|needs?|know|install|buy|vs\.?|versus|than|is"
    r"|el|la|los|las|una?|de|del|con|en|para|y|le|les|une|des|du|avec|pour|et|il|lo|un|di|um|uma|do"
    r"|da|com|ou)[ ]\Z",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"(?<!\w)[A-Z][a-z]+[ ]\Z")
_EXCLAIMED = re.compile(
    r"(?:Haha\w{0,16}|Hehe\w{0,16}|Jaja\w{0,16}|Lol|Lmao|Omg|Oh|Ah|Wow|Thanks|Thx|Great|Nice|Cool"
    r"|Yes|Yeah|Yay|No|Nope|Ok|Okay|Sorry|Hi|Hey|Hello|Bye|Same|True|Wait|What|Why|Damn|Sure|Awesome"
    r"|Love|Well|Ugh|Me|You|It|That|Him|Her|Us|Gracias|Hola|Adios|Claro|Dios|Merci|Salut|Grazie|Ciao"
    r"|Obrigad[oa]|Oi)[ ]\Z"
)
_MERRY = re.compile(
    r"(?:[.!?…\n]|\b(?:funny|hilarious|laugh(?:ed|ing)?|omg|dead|die[ds]?|crazy|weird|wtf))[ ]?\Z",
    re.IGNORECASE,
)
_NAME_AFTER = re.compile(r"[ ](?:[0-9]|[A-Z][A-Za-z])")
_OPERAND_BEFORE = re.compile(r"(?<!\w)(?:[A-Za-z]|[0-9.,]+)[ ]\Z")

_FEWEST = 5
"""Least number of words of a message that ends with sunglasses."""
_REACH = 24
"""Characters before an emoticon that tell what it is."""


def rules(
    heart: re.Pattern[str] | None, *, ends_with_shades: bool, pictures: str
) -> Sequence[Rule]:
    """Return the rules that write typed faces and hearts as emoji.

    A face stands alone, and neither closes a bracket nor marks an item of a list.

    Args:
        heart: where a typed heart stands beside words without spaces.
        ends_with_shades: whether sunglasses may end a message in small letters.
        pictures: the characters that may be next to a face without a space, for a set of `re`.
    """
    faces = re.compile(
        f"[{re.escape(''.join(sorted({face[0] for face in _PICTURE_OF})))}]"
        rf"(?<![^ \t\n.!?…\ufe0f{pictures}](?s:.))(?:"
        + "|".join(
            f"(?<={re.escape(face[0])}){re.escape(face[1:])}"
            for face in sorted(_PICTURE_OF, key=len, reverse=True)
        )
        + rf")(?=[ \t\n{pictures}]|[.,!?;:…]+(?:\s|\Z)|\Z)"
    )
    own = () if heart is None else (Rule(heart, lambda match: _PICTURE_OF[match[0]]),)
    return (*own, Rule(faces, partial(_picture, ends_with_shades, faces)))


def _picture(ends: bool, faces: re.Pattern[str], match: re.Match[str]) -> str | None:
    face, text = match[0], match.string
    before = text[max(0, match.start() - _REACH) : match.start()]
    if face == "<3":
        is_face = _BOUNDED.search(before) is None
    elif face in _LAUGHTER:
        is_face = not _is_name(match, before)
    elif face in _SHADES:
        is_face = not _closes_bracket(faces, match) and _is_drawn(ends, match, before)
    elif face[0] == "=":
        is_face = _OPERAND_BEFORE.search(before) is None and not _closes_bracket(faces, match)
    else:
        is_face = not _closes_bracket(faces, match)
    return _PICTURE_OF[face] if is_face else None


def _is_name(match: re.Match[str], before: str) -> bool:
    """Tell whether `XD` is a name, or a part of one."""
    if _NOUN_NEEDED.search(before) or _NAME_AFTER.match(match.string, match.end()):
        return True
    goes_on = match[0].isupper() and re.match("[ ][a-z]", match.string[match.end() :])
    if goes_on and before.strip() and not (_FEELING_BEFORE.search(before) or _MERRY.search(before)):
        return True
    return _NAME_BEFORE.search(before) is not None and _EXCLAIMED.search(before) is None


def _is_drawn(ends: bool, match: re.Match[str], before: str) -> bool:
    """Tell whether sunglasses are drawn, and no letter is meant."""
    start, end = _paragraph(match)
    others = _MARKER.finditer(match.string, start, end)
    if any(other.end() != match.end() for other in others):
        return False
    if _NOT_ASKED.match(match.string, match.end()) is None:
        return False
    if _FEELING_BEFORE.search(before):
        return True
    return ends and _ends_message(match)


def _ends_message(match: re.Match[str]) -> bool:
    """Tell whether a line in small letters ends here: `finally passed my driving test B)`."""
    text = match.string
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    words = line.split()
    if len(words) < _FEWEST or line != line.lower() or not words[-1].isalpha():
        return False
    is_lettered = len(words[-1]) < 3 or words[-1] in _LETTERED or words[-1].endswith("ly")
    return not is_lettered and _LINE_END.match(text, match.end()) is not None


def _closes_bracket(faces: re.Pattern[str], match: re.Match[str]) -> bool:
    """Tell whether the bracket of a face closes one that is open before it."""
    start, end = _paragraph(match)
    for opening, closing in ("()", "[]"):
        if closing in match[0] and opening in match.string[start : match.start()]:
            before = faces.sub("", match.string[start : match.start()])
            after = faces.sub("", match.string[match.end() : end])
            if _n_open(before, opening, closing) > _n_open(after[::-1], closing, opening):
                return True
    return False


def _n_open(text: str, opening: str, closing: str) -> int:
    """Return the number of brackets that are opened and not closed."""
    n_open = 0
    for character in text:
        if character == opening:
            n_open += 1
        elif character == closing and n_open:
            n_open -= 1
    return n_open


def _paragraph(match: re.Match[str]) -> tuple[int, int]:
    """Return where the paragraph of a match starts and ends."""
    start = match.string.rfind("\n\n", 0, match.start()) + 1
    end = match.string.find("\n\n", match.end())
    return start, len(match.string) if end < 0 else end
