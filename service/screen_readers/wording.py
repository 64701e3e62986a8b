"""What is said of what a screen reader sends: letters, keys, punctuation, capitals; as SSML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

Kind = Literal["SPEAK", "CHAR", "KEY", "SOUND_ICON"]

CAPITAL_ICON = "__capital"
"""Name of a mark at which a tick sounds."""

_LOCALES = Path("/usr/share/speech-dispatcher/locale")
"""Where speech-dispatcher has the names of symbols in 60 languages."""

_LEVELS = {"none": 0, "some": 1, "most": 2, "all": 3, "char": 4}
"""Levels of symbols; a mode says those up to its own."""

_PAUSING = ".,;:!?"
_CAPITAL = {
    "de": "groß", "en": "capital", "es": "mayúscula", "fr": "majuscule", "it": "maiuscola",
    "pt": "maiúscula",
}  # fmt: skip
_CONTROL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot have."""

_TAG = re.compile(r"<[^<>]{0,400}>")
_WORD = re.compile(r"[^\W\d_]+")

IDLE_WORDS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "button", "link", "checked", "not checked", "check box", "radio button", "heading",
        "list", "list item", "menu", "menu item", "entry", "text", "table", "row", "column",
        "blank", "frame", "dialog", "tab", "page tab", "selected", "expanded", "collapsed", "image",
        "combo box", "slider", "toggle button", "pressed", "space", "yes", "no", "cancel", "OK",
    ),
    "de": (
        "Schalter", "Link", "aktiviert", "nicht aktiviert", "Kontrollfeld", "Überschrift", "Liste",
        "Menü", "Eingabefeld", "Tabelle", "Zeile", "Spalte", "leer", "Rahmen", "Dialog", "ja",
        "nein",
    ),
    "es": (
        "botón", "enlace", "marcado", "no marcado", "casilla", "encabezado", "lista", "menú",
        "entrada", "tabla", "fila", "columna", "en blanco", "marco", "diálogo", "sí", "no",
    ),
    "fr": (
        "bouton", "lien", "coché", "non coché", "case à cocher", "titre", "liste", "menu", "saisie",
        "tableau", "ligne", "colonne", "vide", "cadre", "dialogue", "oui", "non",
    ),
    "it": (
        "pulsante", "collegamento", "selezionato", "non selezionato", "casella", "intestazione",
        "elenco", "menu", "testo", "tabella", "riga", "colonna", "vuoto", "riquadro", "sì", "no",
    ),
    "pt": (
        "botão", "link", "marcado", "não marcado", "caixa", "cabeçalho", "lista", "menu", "entrada",
        "tabela", "linha", "coluna", "em branco", "quadro", "diálogo", "sim", "não",
    ),
}  # fmt: skip
"""What screen readers say most, by language; said in idle time, so that it is there at once."""


@dataclass(frozen=True)
class Reading:
    """How texts are worded.

    Attributes:
        language: BCP 47, lower case.
        punctuation: what of it is named: none, some, most, all.
        capitals: none, spell (`capital` is said), icon (a tick sounds).
        spells: whether texts are spelled.
        pitch_st: semitones.
    """

    language: str = "en"
    punctuation: str = "none"
    capitals: str = "none"
    spells: bool = False
    pitch_st: float = 0.0

    @property
    def base(self) -> str:
        """Return the language without its country."""
        return self.language.partition("-")[0]

    def document(self, kind: Kind, text: str) -> str:
        """Return what is said, as SSML."""
        text = _CONTROL.sub(" ", text)
        inner = self._inner(kind, text)
        if self.pitch_st:
            inner = f'<prosody pitch="{self.pitch_st:+.2f}st">{inner}</prosody>'
        return f"<speak>{inner}</speak>"

    def _inner(self, kind: Kind, text: str) -> str:
        if kind == "CHAR":
            return self._character(" " if text == "space" else text)
        if kind == "KEY":
            parts = [part for part in text.split("_") if part] or ["_"]
            return " ".join(
                self._character(part) if len(part) == 1 else escape(part) for part in parts
            )
        if kind == "SOUND_ICON":
            return escape(text.replace("-", " ").replace("_", " "))
        return "".join(self._write(_parsed(text)))

    def _character(self, character: str) -> str:
        if not character.isalnum():
            name = symbol_names(self.language).get(character, Symbol("", 0)).name
            if not name and character:
                name = unicodedata.name(character[0], character).lower()
            return escape(name)
        said = f'<say-as interpret-as="characters">{escape(character)}</say-as>'
        return f"{self._capital()} {said}".lstrip() if character.isupper() else said

    def _capital(self) -> str:
        if self.capitals == "icon":
            return f"<mark name={quoteattr(CAPITAL_ICON)}/>"
        return escape(_CAPITAL.get(self.base, _CAPITAL["en"])) if self.capitals == "spell" else ""

    def _write(self, element: ElementTree.Element) -> Iterator[str]:
        """Yield the content of an element as XML, worded."""
        yield self._worded(element.text or "")
        for child in element:
            name = child.tag.rpartition("}")[2]
            attributes = "".join(
                f" {key.rpartition('}')[2]}={quoteattr(value)}"
                for key, value in child.attrib.items()
            )
            yield f"<{name}{attributes}>"
            # What say-as says, is said as it wants it.
            yield from [escape(child.text or "")] if name == "say-as" else self._write(child)
            yield f"</{name}>{self._worded(child.tail or '')}"

    def _worded(self, text: str) -> str:
        if self.spells and text.strip():
            return " ".join(self._character(character) for character in text if character.strip())
        text = escape(self._named(text))
        if self.capitals not in ("spell", "icon"):
            return text
        return _WORD.sub(
            lambda word: f"{self._capital()} {word[0]}" if word[0][0].isupper() else word[0], text
        )

    def _named(self, text: str) -> str:
        level = _LEVELS.get(self.punctuation, 0)
        if not level:
            return text
        names = symbol_names(self.language)
        said = []
        for place, character in enumerate(text):
            symbol = names.get(character)
            if symbol is None or symbol.level > level or character.isspace():
                said.append(character)
                continue
            ends = character in _PAUSING and not text[place + 1 : place + 2].strip()
            said.append(f" {symbol.name}{character if ends else ' '}")
        return "".join(said)


@dataclass(frozen=True)
class Symbol:
    """The name of a symbol, and the level from which on it is said."""

    name: str
    level: int


@dataclass
class _Symbols:
    found: dict[str, Symbol] = field(default_factory=dict)

    def read(self, file: Path) -> None:
        """Read the single characters of a file of speech-dispatcher."""
        if not file.is_file():
            return
        for line in file.read_text(encoding="utf-8-sig").splitlines():
            columns = line.split("\t")
            character = {"\\#": "#", "\\\\": "\\"}.get(columns[0], columns[0])
            if len(columns) < 2 or len(character) != 1 or not columns[1].strip():
                continue
            level = columns[2].strip() if len(columns) > 2 else "all"
            self.found[character] = Symbol(columns[1].strip(), _LEVELS.get(level, 3))


@cache
def symbol_names(language: str) -> Mapping[str, Symbol]:
    """Return the names of symbols in a language, by speech-dispatcher's files; else in English."""
    symbols = _Symbols()
    base, _, country = language.partition("-")
    for name in ("en", base, f"{base}_{country.upper()}"):
        symbols.read(_LOCALES / name / "symbols.dic")
    return symbols.found


def _parsed(text: str) -> ElementTree.Element:
    """Return a document as its root; what is not well-formed has no markup."""
    try:
        if "<!" not in text:  # declarations, which nobody needs and which may grow without end
            return ElementTree.fromstring(text)
        raise ElementTree.ParseError
    except ElementTree.ParseError:
        root = ElementTree.Element("speak")
        root.text = _TAG.sub(" ", text) if "<speak" in text else text
        return root
