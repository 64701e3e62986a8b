"""Brazilian Portuguese."""

from __future__ import annotations

from functools import partial

from service.text.languages.language import Language, Sounds, named_letters, rules_by_table


def _sounds() -> Sounds:
    return Sounds(respellings=(named_letters({"A": "á", "E": "é", "O": "ó"}),))


LANGUAGE = Language(
    code="pt-br",
    name="Brazilian Portuguese",
    tags=("pt", "por"),
    voice_letter="p",
    default_voice="pf_dora",
    espeak_voice="roa/pt-BR",
    divisions="capítulo|capitulo|parte|livro|tomo|ato|canto",
    load_rules=partial(rules_by_table, __name__),
    load_sounds=_sounds,
)
