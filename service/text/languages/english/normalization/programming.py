"""Code: options of commands, names of tools and languages, operators, identifiers."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import text_after, text_before, word_set
from service.text.normalization.rules import Rule

_LANGUAGE = re.compile(r"\b(?P<letter>[CFJ])#(?!\w)")
_LONG_OPTION = re.compile(r"(?<![^\s\"'`(\[=|])--(?P<name>[A-Za-z][\w-]{1,40})(?![\w-])")
_SHORT_OPTION = re.compile(
    r"(?<=[ \"'`(])-(?P<name>[A-Za-z]{1,4}|[A-Za-z][0-9]{1,3}|[0-9])(?![\w'’-]|[.,]\w)"
)
_COMMANDS = word_set(
    "git ls pip npm docker kubectl apt apt-get sudo grep tar curl wget ssh scp rm cp mv cat "
    "chmod chown python python3 node make gcc clang cargo go java mvn gradle ps kill find sed "
    "awk head tail du df mount systemctl journalctl ping nmap rsync ffmpeg helm terraform "
    "yarn conda pytest mkdir ln unzip flag option options flags run with use using pass add "
    "set the echo export bash sh zsh sort uniq wc xargs diff patch man top htop ip netstat ss "
    "dig nslookup traceroute iptables brew choco pacman dnf yum commit push pull install "
    "uninstall pods get log checkout rebase status build up down exec"
)
_COMMAND_BEFORE = re.compile(
    rf"(?:\b(?:{'|'.join(sorted(_COMMANDS))})|dash [A-Z]+)(?: [\w./=-]{{1,24}}){{0,3}}[ \"'`(]\Z"
)
_SHELL_VARIABLE = re.compile(r"\$\{?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}?(?!\$)(?![\w.,]*\$)")
_ANCHOR = re.compile(r"(?<=[\\+*\w)\]}?])\$(?=[\s\"'`/.,)]|\Z)(?<![0-9]\$)")
_REGEX_START = re.compile(r"(?<![^\s\"'`(/])\^(?=[\\\[(\w.])")
_BACKSLASH = re.compile(r"\\(?P<letter>[dDwWsSbBnrtAzZ])(?P<sign>[+*?]?)(?![a-z])")
_QUANTIFIERS = {"+": " plus ", "*": " star ", "?": " question mark ", "": " "}
_AND = re.compile(r"[ ]?&&[ ]?")
_OR = re.compile(r"[ ]?\|\|[ ]?(?=\S)")
_NOT = re.compile(r"(?:(?<=[ (=])|(?<=^))!(?=[a-z_(])")
_EQUAL = re.compile(r"(?<=\S)[ ]?(?P<sign>===?|!==?)[ ]?(?=\S)")
_INCREMENT = re.compile(r"(?<![\w+-])(?P<name>[a-z])(?P<sign>\+\+|--)(?![\w+-])")
_CALL = re.compile(r"(?<=[A-Za-z0-9_])\(\)(?=\W|\Z)")
_CAMEL = re.compile(r"(?<![\w./@#-])(?<![0-9][ ])[a-z]{2,16}(?:[A-Z][a-z0-9]{1,16}){1,5}(?![\w@])")
_NAMES_IN_CAMEL = word_set("iPhone iPad iPod iMac eBay iTunes iCloud iOS macOS eBook iMessage")
_ID = re.compile(r"(?<![\w.@/'’-])(?P<id>ids?)(?![\w'’@/-]|\.\w)")
_ID_BEFORE = re.compile(
    r"\b(?:user|the|a|an|your|my|its|this|that|unique|by|customer|order|product"
    r"|session|request|device|object|item|row"
    r"|primary|employee|account|message|parent|task|job|no|each|valid|invalid|new"
    r"|where|WHERE|and|AND|select|SELECT|on|ON)[ ]\Z"
)
_HASH = re.compile(
    r"(?<![\w./@#-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])(?P<hash>[0-9a-f]{7,40})(?!\w)"
)
_TRACKING = re.compile(
    r"(?<![\w./@#-])(?=[A-Z0-9]*[0-9]{4})(?=[A-Z0-9]*[A-Z])(?P<code>[A-Z0-9]{10,34})(?!\w)"
)


def rules() -> tuple[Rule, ...]:
    """Return the rules for code. They come before all rules for numbers."""
    return (
        Rule(_HASH, lambda match: _spelled(match["hash"])),
        Rule(_TRACKING, lambda match: _spelled(match["code"])),
        Rule(_LANGUAGE, lambda match: f"{match['letter']} sharp"),
        Rule(_LONG_OPTION, _long_option),
        Rule(_SHORT_OPTION, _short_option),
        Rule(_REGEX_START, lambda match: "caret "),
        Rule(_ANCHOR, lambda match: _apart(match, "dollar")),
        Rule(_BACKSLASH, _backslash),
        Rule(_SHELL_VARIABLE, _variable),
        Rule(_AND, lambda match: " and "),
        Rule(_OR, lambda match: " or "),
        Rule(
            _EQUAL,
            lambda match: " equals " if match["sign"][0] == "=" else " is not equal to ",
        ),
        Rule(_NOT, _not),
        Rule(
            _INCREMENT,
            lambda m: f"{m['name']} {'plus plus' if m['sign'] == '++' else 'minus minus'}",
        ),
        Rule(_CALL, lambda match: ""),
        Rule(_CAMEL, _camel),
        Rule(_ID, _identifier),
    )


def _spelled(code: str) -> str:
    return " ".join(code.upper())


def _apart(match: re.Match[str], words: str) -> str:
    before = match.string[match.start() - 1 : match.start()]
    return words if before.isspace() else f" {words}"


def _long_option(match: re.Match[str]) -> str:
    return f"dash dash {match['name']}"


def _short_option(match: re.Match[str]) -> str | None:
    if _COMMAND_BEFORE.search(text_before(match)) is None:
        return None
    name = match["name"]
    if name[0].isdigit() and text_before(match).endswith("("):
        return None  # `log(-8)`
    return f"dash {name.upper()}"


def _backslash(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1 : match.start()] if match.start() else ""
    lead = " " if before and not before.isspace() else ""
    words = f"{lead}backslash {match['letter']}{_QUANTIFIERS[match['sign']]}"
    return words.rstrip() if match.string[match.end() : match.end() + 1] in ("", " ") else words


def _variable(match: re.Match[str]) -> str | None:
    before = match.string[match.start() - 1 : match.start()] if match.start() else ""
    return None if before.isalnum() else f"dollar {match['name'].replace('_', ' ')}"


def _not(match: re.Match[str]) -> str | None:
    before = text_before(match)
    is_code = re.search(
        r"(?:\b(?:return|if|while|and|or|assert|let|const|var)|[=(])[ ]?\(?\Z", before
    )
    return "not " if is_code else None


def _camel(match: re.Match[str]) -> str | None:
    if match[0] in _NAMES_IN_CAMEL:
        return None
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", match[0])


def _identifier(match: re.Match[str]) -> str | None:
    after = text_after(match)
    if _ID_BEFORE.search(text_before(match)) or re.match(
        r"[ ]?(?:=|:|IN\b|is\b|of\b|equals)", after
    ):
        return "ID" if match["id"] == "id" else "IDs"
    return None
