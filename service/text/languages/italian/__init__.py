"""Italian."""

from __future__ import annotations

from functools import partial

from service.text.languages.language import Language, Sounds, rules_by_table


def _sounds() -> Sounds:
    from service.text.languages.italian.respellings import RESPELLINGS

    # The double s, for which the Italian voices have a symbol.
    return Sounds(espeak={"s^s": "S"}, respellings=RESPELLINGS)


LANGUAGE = Language(
    code="it",
    name="Italian",
    tags=("it", "ita"),
    voice_letter="i",
    default_voice="if_sara",
    espeak_voice="roa/it",
    divisions="capitolo|libro|parte|atto|scena|canto",
    load_rules=partial(rules_by_table, __name__),
    load_sounds=_sounds,
)
