"""Spanish."""

from __future__ import annotations

from functools import partial

from service.text.languages.language import Language, Sounds, named_letters, rules_by_table


def _sounds() -> Sounds:
    return Sounds(respellings=(named_letters({"Y": "ye"}),))


LANGUAGE = Language(
    code="es",
    name="Spanish",
    tags=("es", "spa"),
    voice_letter="e",
    default_voice="ef_dora",
    espeak_voice="roa/es",
    divisions="capítulo|capitulo|libro|parte|tomo|acto|jornada|canto",
    load_rules=partial(rules_by_table, __name__),
    load_sounds=_sounds,
)
