"""French."""

from __future__ import annotations

from functools import partial

from service.text.languages.language import Language, Sounds, rules_by_table


def _sounds() -> Sounds:
    from service.text.languages.french.respellings import NAMES, RESPELLINGS

    return Sounds(respellings=RESPELLINGS, names=NAMES)


LANGUAGE = Language(
    code="fr",
    name="French",
    tags=("fr", "fra", "fre"),
    voice_letter="f",
    default_voice="ff_siwis",
    espeak_voice="roa/fr",
    spaces_inside_numbers=True,
    divisions="chapitre|livre|partie|tome|acte|scène|chant",
    load_rules=partial(rules_by_table, __name__),
    load_sounds=_sounds,
)
