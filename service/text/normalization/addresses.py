"""URLs, e-mail addresses, file names, hashtags and mentions as people read them aloud."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from service.text.normalization.choices import UrlReading
from service.text.normalization.rules import Rule


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SIGNS = "./@:?=&#-_%+~\\,;!$*()[]'|"


class AddressWords:
    """What a language says in addresses.

    Args:
        signs: its words for the signs of `_SIGNS`, in that order, between semicolons.
        hashtag: the word before a hashtag.
        words_too: domains and extensions that start the next sentence if the space after a full
            stop is missing.
        mention: the word before a mention, if it is not that for `@`.
        split: returns the words that a name runs together.
        has_topics: whether it writes a topic between two signs: `#topic#`.
        spells_countries: whether two-letter domains are spelled, except those that are words.

    Raises:
        ValueError: a sign has no word, or there are more words than signs.
    """

    def __init__(
        self,
        *,
        signs: str,
        hashtag: str,
        words_too: str,
        mention: str | None = None,
        split: Callable[[str], Sequence[str]] = lambda name: (name,),
        has_topics: bool = False,
        spells_countries: bool = False,
    ) -> None:
        self.signs = dict(zip(_SIGNS, signs.split("; "), strict=True))
        self.hashtag = hashtag
        self.words_too = _words(words_too)
        self.mention = mention or self.signs["@"]
        self.split = split
        self.has_topics = has_topics
        self.spells_countries = spells_countries


_TOP_LEVEL = _words(
    "com org net edu gov mil int info biz name pro io ai app dev co me tv cc xyz online site"
    " website tech store shop blog cloud live news world today page link space agency studio"
    " design digital media email health life fun art wiki museum travel jobs mobi asia eu uk"
    " us ca au nz ie za in de at ch fr be nl lu es pt it gr pl cz sk hu ro bg hr si rs se no"
    " dk fi is ee lv lt ru ua by tr il ae sa ir pk bd lk np cn hk tw jp kr sg my th vn ph id"
    " br ar cl pe uy ve mx cr cu do gt ec bo py pa eg ma ng ke gh et tz ug gg fm am ly to gl"
    " so sh la ms ws gd im je vc st ac local"
)
# Second-level domains before the domain of a country: bbc.co.uk.
_SECOND_LEVEL = _words("ac co com edu gov net org")
# Domains with names that are only digits: 163.com.
_NUMBERED = _words("com net org cn")
_EXTENSIONS = _words(
    "pdf doc docx odt rtf xls xlsx ods csv tsv ppt pptx odp key epub mobi txt md rst tex log"
    " ini cfg conf toml yaml yml json jsonl ndjson xml html htm xhtml css scss sass less js"
    " mjs cjs jsx ts tsx vue svelte php asp aspx jsp py pyi pyc pyw ipynb rb rs cpp cc cxx hpp"
    " cs java class jar kt swift scala lua pl ps1 sh bash zsh fish bat cmd exe dll so dylib"
    " lib obj bin dat db sqlite sql bak tmp lock env pem crt zip tar gz tgz bz2 xz zst 7z rar"
    " deb rpm apk ipa iso dmg msi pkg img png jpg jpeg gif bmp tif tiff webp svg ico heic psd"
    " ai mp3 mp4 m4a m4v wav flac ogg oga opus aac wma avi mov mkv webm flv wmv srt vtt ttf"
    " otf woff woff2 onnx pt pth gguf safetensors parquet npz npy h5 pkl proto graphql gradle"
    " cmake patch diff git ics vcf eml msg torrent"
)
_DOTFILES = _words(
    "env bashrc zshrc profile vimrc gitignore gitattributes dockerignore editorconfig npmrc"
    " htaccess github vscode ssh config cache local venv com net org io gov edu"
)
# Spelled, as are parts without a vowel.
_SPELLED = _words(
    "odt xls ods odp xlsx jsx tsx py exe apk ipa iso ico psd ai avi mov svg wav oga otf io ie"
    " eu uk usr uri url id api ui ux ip os dns faq gpu cpu usb aac rar npy pyc pyi ocr csv ios"
    " ide sdk"
)
# English surnames end like this; `tim.robertson` is not `robert son`.
_SURNAMES = _words(
    "son sons wood woods stone worth ford field fields land lands well berg burn burns bridge brook"
    " brooks smith wright water waters house hill way strong croft bourne hurst wick man gate gates"
    " head bottom side dale shaw bury by bank banks low fellow ham maker church bush moor more"
    " weather away"
)
_WORDS_WITHOUT_VOWEL = _words("mr mrs ms dr st jr sr mt ltd nth hmm shh pst brr")
# Two-letter domains that English speakers read as a word.
_WORD_DOMAINS = _words("co me so to")
_VOWEL = re.compile(r"[aeiouyà-öø-ÿ]|[^\x00-\u024f]", re.IGNORECASE)

# Devanagari signs between and after letters, which are not letters themselves.
_VOWEL_SIGN = "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
_SMALL = f"[^\\W\\d_A-ZÀ-ÖØ-Þ][{_VOWEL_SIGN}]*"
_PART = re.compile(
    rf"[A-ZÀ-ÖØ-Þ]+(?![^\W\d_A-ZÀ-ÖØ-Þ])|[A-ZÀ-ÖØ-Þ]?(?:{_SMALL})+|[^\W\d_]|[0-9]+|\S"
)
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
# Longer numbers are read digit by digit.
_LONGEST_NUMBER = 4
# Longer words in capitals are names that are not spelled: README, LICENSE.
_LONGEST_ACRONYM = 4

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ"
_NAME = f"{_LETTER}0-9_"
_LABEL = f"[{_LETTER}0-9][{_LETTER}0-9-]*"
# Characters of a URL: no brackets except pairs of round ones, no letters of scripts without spaces.
_BODY = r"(?:[!#-&*-;=?-Z_a-z~\u00c0-\u0963\u0966-\u1fff]|\([^\s()<>\"]*\))"
_LAST = r"(?<![.,;:!?*&])"
_TAIL = rf"(?P<tail>(?::[0-9]{{1,5}}(?![0-9]))?(?:[/?#]{_BODY}*{_LAST})?)"

_URL = re.compile(
    r"[hfsw](?<![a-z0-9].)"
    r"(?:(?P<scheme>(?<=h)ttps?|(?<=f)(?:tps?|ile)|(?<=s)(?:sh|ftp|3))://(?:www\.)?|(?<=w)ww\.)"
    rf"(?P<rest>{_BODY}+){_LAST}",
    re.IGNORECASE,
)
_HOST_END = re.compile(r"[/?#:]")
_MAILTO = re.compile(rf"mailto:(?=[{_NAME}])")
_EMAIL = re.compile(
    rf"[{_NAME}](?<![{_NAME}.@/+%].)(?<![{_NAME}-]-.)[{_NAME}.+%-]*@(?P<host>{_LABEL}(?:\.{_LABEL})+)"
)
_DOMAIN = re.compile(
    rf"(?P<host>[{_LETTER}0-9](?<![{_NAME}.@/\\#$-].)[{_LETTER}0-9-]*"
    rf"(?:(?:\.{_LABEL})+|(?<=localhost)(?=:[0-9])))(?![{_NAME}@]){_TAIL}"
)
_FILE = re.compile(
    rf"[{_NAME}](?<![{_NAME}.@/\\#$-].)[{_NAME}.@+/-]*\.(?P<extension>[A-Za-z0-9]+)(?![{_NAME}@/-])"
)
_PATH = re.compile(
    rf"(?<![{_NAME}.:/\\)\]}}<>~*%°²³$€£-])(?:~|\.{{1,2}})?/(?=[{_NAME}.@+%=~/-]*[{_LETTER}])"
    rf"[{_NAME}.@][{_NAME}.@+%=~/-]+{_LAST}"
)
_WINDOWS_PATH = re.compile(
    rf"(?<![{_NAME}\\])(?:[A-Za-z]:\\|\\\\(?=[{_NAME}]))"
    r"(?:[\w!#$%&'()+,./;=@\[\]~\\-]|[ ](?=[\w(). -]{1,30}\\))*" + _LAST
)
_DOTFILE = re.compile(rf"(?<![^\s(\"'“‘])\.(?P<name>[A-Za-z]+)(?:\.[a-z]+)*(?![{_NAME}@])")
_TOPIC = re.compile(r"#(?P<topic>[^#\s]{1,40})#[ ]?(?P<more>(?=\w))?")
# The end of a word in a script with spaces.
_SOLID = f"(?<![^\\W\u2e80-\U0010ffff{_VOWEL_SIGN}])(?<![{_VOWEL_SIGN}])"
_HASHTAG_NAME = re.compile(rf"{_SOLID}(?<![&/#])#(?P<name>[\w{_VOWEL_SIGN}]+)")
_COLOUR = re.compile(r"(?=[A-Fa-f]*[0-9])(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})")
_MENTION = re.compile(
    rf"{_SOLID}(?<![.@/+#-])@(?P<name>[{_LETTER}_][{_NAME}]*(?:[./@-][{_NAME}]+)*)?(?=[^\W\d_]|(?<=\w))"
)


class _Speller:
    """Writes addresses in the words of one language.

    Args:
        words: of the language.
        urls: how much of URLs and domains is read.
    """

    def __init__(self, words: AddressWords, urls: UrlReading) -> None:
        self._words = words
        self._urls = urls
        self._signs = words.signs

    def url(self, match: re.Match[str]) -> str:
        """Return the words for a URL, without `http://`, `https://` and `www`."""
        if self._urls == "skip":
            return ""
        rest, scheme = match["rest"], match[0].partition("://")[0]
        host = _HOST_END.split(rest, maxsplit=1)[0]
        if self._urls == "short":
            return " ".join(self._host(host))
        if rest == f"{host}/":
            rest = host
        said = self._host(host) + self._parts(rest[len(host) :])
        if match["scheme"] is not None and scheme.lower() not in ("http", "https"):
            said = [scheme.upper(), *self._parts("://"), *said]
        return " ".join(said)

    def email(self, match: re.Match[str]) -> str:
        """Return the words for an e-mail address."""
        user = match[0].partition("@")[0]
        said = [*self._parts(user, of_person=True), self._signs["@"], *self._host(match["host"])]
        return " ".join(said)

    def domain(self, match: re.Match[str]) -> str | None:
        """Return the words for a host and its path, None if it is not a host."""
        host, tail = match["host"], match["tail"]
        if host != "localhost" and not self._is_domain(host, bool(tail)):
            return None
        if self._urls == "skip":
            return ""
        if self._urls == "short" or tail == "/":
            tail = ""
        return " ".join([*self._host(host), *self._parts(tail)])

    def file(self, match: re.Match[str]) -> str | None:
        """Return the words for a file name, None if it is not one."""
        extension = match["extension"]
        small = extension.lower()
        name = match[0][: -len(extension) - 1].rpartition("/")[2]
        is_plain = match[0][: -len(extension) - 1].isalpha()
        if (
            small not in _EXTENSIONS
            or extension not in (small, small.upper())
            or (is_plain and small in self._words.words_too)
            or (name.isdecimal() and len(small) < 3)
        ):
            return None
        return self.say(match)

    def dotfile(self, match: re.Match[str]) -> str | None:
        """Return the words for a hidden file or a file extension."""
        name = match["name"].lower()
        if name not in _DOTFILES and name not in _EXTENSIONS:
            return None
        return self.say(match)

    def tag(self, match: re.Match[str]) -> str | None:
        """Return the words for a hashtag; None for a number."""
        name = match["name"]
        if not any(character.isalpha() for character in name):
            return None
        if _COLOUR.fullmatch(name):
            return f"{self._signs['#']} {' '.join(name.upper())}"
        return " ".join([self._words.hashtag, *self._parts(name.replace("_", " "))])

    def topic(self, match: re.Match[str]) -> str:
        """Return the words for a topic between two signs."""
        return f"{self._words.hashtag} {match['topic']}{',' if match['more'] is not None else ''}"

    def mention(self, match: re.Match[str]) -> str:
        """Return the words for a mention."""
        name = match["name"]
        if name is None:
            return f"{self._words.mention} "
        return " ".join([self._words.mention, *self._parts(name.replace("_", " "), of_person=True)])

    def say(self, match: re.Match[str]) -> str:
        """Return the words for all of it."""
        return " ".join(self._parts(match[0]))

    def _is_domain(self, host: str, has_tail: bool) -> bool:
        *labels, top = host.split(".")
        small = top.lower()
        if small not in _TOP_LEVEL or (top != small and not host.isupper()):
            return False
        if host.replace(".", "").replace(top, "").isdecimal() and small not in _NUMBERED:
            return False
        if small in self._words.words_too and not has_tail:
            return len(labels) > 1 and (len(labels[-1]) > 3 or labels[-1] in _SECOND_LEVEL)
        return True

    def _host(self, host: str) -> list[str]:
        head, dot, last = host.rpartition(".")
        top = last.lower()
        if top in _TOP_LEVEL and len(top) > 2:
            said = [top]
        elif self._words.spells_countries and len(top) == 2 and top.isalpha():
            said = [top if top in _WORD_DOMAINS else top.upper()]
        else:
            said = self._parts(last)
        return [*self._parts(head + dot), *said]

    def _parts(self, text: str, *, of_person: bool = False) -> list[str]:
        return [
            self._part(part, may_be_surname=of_person and number > 0)
            for number, part in enumerate(_PART.findall(_ENCODED.sub(self._decode, text)))
        ]

    def _decode(self, match: re.Match[str]) -> str:
        """Return percent-encoded text decoded, unchanged if it is not only words."""
        try:
            decoded = unquote(match[0], errors="strict")
        except UnicodeDecodeError:
            return match[0]
        is_plain = all(part[0].isalnum() or part in self._signs for part in _PART.findall(decoded))
        return decoded if is_plain else match[0]

    def _part(self, part: str, *, may_be_surname: bool = False) -> str:
        if part in self._signs:
            return self._signs[part]
        if part.isdecimal():
            is_number = len(part) <= _LONGEST_NUMBER and (part[0] != "0" or part == "0")
            return part if is_number else " ".join(part)
        small = part.lower()
        if len(part) == 1 or small in _SPELLED:
            return part.upper()
        if _VOWEL.search(part) is None and small not in _WORDS_WITHOUT_VOWEL:
            return part.upper()
        if part == small and part.isascii():
            words = self._words.split(part)
            is_surname = may_be_surname and len(words) == 2 and words[-1] in _SURNAMES
            return part if is_surname else " ".join(words)
        return small if len(part) > _LONGEST_ACRONYM and part.isupper() else part


def rules(words: AddressWords, urls: UrlReading = "full") -> Sequence[Rule]:
    """Return the rules for URLs, e-mail addresses, domains, paths, files, hashtags and mentions.

    The result has no signs that make it an address. Names are split at capitals. Parts that cannot
    be read as a word become capitals, to be spelled. Numbers of up to four digits stay for the
    language's own rules; the digits of longer ones are separated.

    Args:
        words: of the language.
        urls: how much of URLs and domains is read.
    """
    speller = _Speller(words, urls)
    topic = [Rule(_TOPIC, speller.topic)]
    return (
        Rule(_URL, speller.url),
        Rule(_MAILTO, lambda match: ""),
        Rule(_EMAIL, speller.email),
        Rule(_WINDOWS_PATH, speller.say),
        Rule(_PATH, speller.say),
        Rule(_DOMAIN, speller.domain),
        Rule(_FILE, speller.file),
        Rule(_DOTFILE, speller.dotfile),
        *(topic if words.has_topics else ()),
        Rule(_HASHTAG_NAME, speller.tag),
        Rule(_MENTION, speller.mention),
    )
