"""What a language is: one record, which its folder exports."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the rooms above, which a language loads when it is first read
    from service.text.espeak import Espeak
    from service.text.normalization.normalizer import LanguageRules
    from service.text.reader import Reader


Respell = Callable[[re.Match[str]], str]
"""Returns what espeak-ng is to read instead of a match."""


class ReaderParts(NamedTuple):
    """What all readers share.

    Attributes:
        espeak: returns the library; called when it is first needed. Raises EspeakError.
        strict: whether a reader refuses words that it cannot read.
        symbols: of the model; empty for those of Kokoro v1.0.
    """

    espeak: Callable[[], Espeak]
    strict: bool = False
    symbols: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sounds:
    """How a language's voices write sounds that others write differently.

    Attributes:
        espeak: replacements in espeak-ng's IPA, over those that all languages share; see
            `service.text.espeak.symbols`.
        dictionary: likewise, in the IPA of dictionaries; see `service.text.markup.ipa`.
        respellings: words that espeak-ng misreads, and what it is to read instead; in order.
        names: words for characters that espeak-ng cannot name, by their code point.
        read_syllable: returns the phonemes of a syllable in the language's romanization, with the
            number of its tone, or of a word in its kana; None for other text.
    """

    espeak: Mapping[str, str] = field(default_factory=dict)
    dictionary: Mapping[str, str] = field(default_factory=dict)
    respellings: tuple[tuple[re.Pattern[str], Respell], ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    read_syllable: Callable[[str], str | None] = lambda syllable: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language that can be spoken from text.

    Its folder exports one as `LANGUAGE`. What takes time to import is behind functions.

    Attributes:
        code: lower-case tag, such as `en-us`.
        name: in English; its last word is the language without its variety.
        tags: its codes of ISO 639. Varieties of one language have the same.
        voice_letter: with which names of its voices begin. Languages are listed in this order,
            after them those for which the model has no voice. The first variety of a language is
            meant where no region is named.
        default_voice: its best voice, for callers who name a voice of another system. None if the
            model has no voice for it: voices of other languages speak it, where they are named.
        load_rules: returns what text normalization needs, in up to a quarter of a second.
        load_sounds: returns how its voices write sounds.
        make_reader: returns a reader, which takes up to a second, or several. None for that of
            espeak-ng.
        variant: returns the name of the notation that its reader writes for a model's symbols;
            models with one name share the reader.
        regions: of BCP 47, in small letters, in which this variety is spoken.
        g2p: what reads it: `lexicon`, `pyopenjtalk`, `pypinyin` or `espeak-ng`.
        extra: the extra of this package that reading it requires, if any.
        packages: what the extra installs to read it.
        espeak_voice: voice file under `espeak-ng-data/lang`; None if espeak-ng does not read the
            language.
        spaces_inside_numbers: whether the espeak-ng voice reads `1 000 000` as one number.
        keeps_joiners: whether its script needs zero-width joiners.
        divisions: words before the number of a book's chapter, as an expression of `re`.
    """

    code: str
    name: str
    tags: tuple[str, ...]
    voice_letter: str
    default_voice: str | None
    load_rules: Callable[[], LanguageRules]
    load_sounds: Callable[[], Sounds] = Sounds
    make_reader: Callable[[ReaderParts], Reader] | None = None
    variant: Callable[[frozenset[str]], str] = lambda symbols: ""
    regions: frozenset[str] = frozenset()
    g2p: str = "espeak-ng"
    extra: str | None = None
    packages: tuple[str, ...] = ()
    espeak_voice: str | None = None
    spaces_inside_numbers: bool = False
    keeps_joiners: bool = False
    divisions: str = ""

    @property
    def is_installed(self) -> bool:
        """Tell whether everything that reading it requires is installed."""
        return all(map(_is_installed, self.packages))


def named_letters(names: Mapping[str, str]) -> tuple[re.Pattern[str], Respell]:
    """Return a respelling of letters that are words too, where letters are named one by one."""
    letters = "".join(names)
    pattern = re.compile(rf"(?<=\b[A-Z][ ])[{letters}]\b|\b[{letters}](?=[ ][A-Z]\b)")
    return pattern, lambda match: names[match[0]]


def rules_by_table(folder: str) -> LanguageRules:
    """Return the rules that the tables of a language's folder give, in its module `locale`.

    Args:
        folder: name of the package.
    """
    from service.text.normalization.figures import language_rules

    tables = import_module(f"{folder}.locale")
    return language_rules(tables.LOCALE, tables.ADDRESSES, tables.PICTURES)


@cache
def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
