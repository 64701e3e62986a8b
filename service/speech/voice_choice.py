"""The choice of a voice for what a document asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from service.errors import ServiceError
from service.speech.foreign_voices import ForeignVoice, foreign_voice
from service.speech.voices import Blend, Voice, VoiceLibrary
from service.text import LANGUAGES, VoiceWish

_CLEAREST = tuple(
    """
    af_heart af_bella bf_emma am_michael am_fenrir am_puck af_aoede af_kore af_sarah bm_george
    bm_fable bf_isabella bm_daniel bm_lewis af_nova af_alloy af_sky am_echo am_eric am_liam am_onyx
    """.split()  # noqa: SIM905
)
"""Voices that stand for others first, by the quality and the amount of speech they were trained on,
as hexgrad grades them. The others follow by name."""


@dataclass(frozen=True)
class Choice:
    """A voice that was chosen.

    Attributes:
        blend: the voice; None for the one that speaks anyway.
        reason: why it is not what was asked for; empty if it is.
    """

    blend: Blend | None
    reason: str = ""


class VoiceChooser:
    """Chooses voices for one document: each name of another system gets a voice of its own.

    Args:
        voices: those that there are.
        names: voices, blends or speakers by other names.
    """

    def __init__(self, voices: VoiceLibrary, names: Mapping[str, str]) -> None:
        self._voices = voices
        self._names = names
        self._folded = {voice.name.casefold(): voice.name for voice in voices.voices}
        self._taken: dict[str, str] = {}
        self._chosen: dict[VoiceWish, Choice] = {}

    def choose(self, wish: VoiceWish, language: str | None) -> Choice:
        """Return the voice for a wish.

        Args:
            wish: what is asked.
            language: code of the language that is spoken around it; None if unknown.
        """
        found = self._chosen.get(wish)
        if found is None:
            found = self._choose(wish, language)
            if found.blend is None and wish.outer is not None:
                outer = self.choose(wish.outer, language)
                found = Choice(outer.blend, found.reason)
            self._chosen[wish] = found
        return found

    def _choose(self, wish: VoiceWish, language: str | None) -> Choice:
        foreign: ForeignVoice | None = None
        foreign_name = ""
        for name in wish.names:
            blend = self._own(name)
            if blend is not None:
                return self._checked(wish, blend)
            if foreign is None:
                foreign, foreign_name = foreign_voice(name), name
        sex = wish.sex if wish.sex != "neutral" else None
        languages = wish.languages
        if foreign is not None:
            sex = sex or foreign.sex
            languages = languages or tuple(filter(None, [foreign.language]))
        elif wish.names and not (sex or languages):
            return Choice(None, f"there is no voice {wish.names[0]!r:.60}")
        wanted = languages or tuple(filter(None, [language]))
        voice, lacking = self._best(wish, wanted, sex, foreign_name)
        if voice is None or (lacking & wish.required and wish.keeps):
            return Choice(None, "no voice is like this; the voice stays as it is")
        if wish.names:
            reason = f"there is no voice {wish.names[0]!r:.60}; {voice} speaks"
            return Choice(self._voices.resolve(voice), reason)
        if lacking:
            reason = f"no voice is like this; {voice} speaks"
            return Choice(self._voices.resolve(voice), reason)
        reason = "there are only women and men" if wish.sex == "neutral" else ""
        return Choice(self._voices.resolve(voice), reason)

    def _own(self, name: str) -> Blend | None:
        """Return a voice, a blend or a speaker by its name."""
        for known in (self._names.get(name), name, self._folded.get(name.casefold())):
            if known is None:
                continue
            try:
                return self._voices.resolve(known)
            except ServiceError:
                continue
        return None

    def _checked(self, wish: VoiceWish, blend: Blend) -> Choice:
        """Return a voice that was named, unless something else is required that it is not."""
        voice = blend.parts[0][0]
        is_like = {
            "gender": wish.sex is None or voice.sex == wish.sex,
            "languages": not wish.languages or voice.language in wish.languages,
        }
        failed = [feature for feature in wish.required if not is_like.get(feature, True)]
        if failed and "name" not in wish.required:
            return self._choose(replace(wish, names=()), voice.language)
        return Choice(blend)

    def _best(
        self, wish: VoiceWish, languages: tuple[str, ...], sex: str | None, foreign: str
    ) -> tuple[str | None, frozenset[str]]:
        """Return the best voice, and the features that it lacks."""

        def lacks(voice: Voice) -> dict[str, bool]:
            return {
                "languages": bool(languages) and voice.language not in languages,
                "gender": sex is not None and voice.sex != sex,
            }

        def rank(voice: Voice) -> tuple[bool, ...]:
            lacking = lacks(voice)
            ordered = [lacking.get(feature, False) for feature in wish.ordering]
            required = any(lacking.get(feature, False) for feature in wish.required)
            known = LANGUAGES.get(voice.language or "")
            is_usual = known is not None and voice.name == known.default_voice
            return required, *ordered, not is_usual

        clearest = {name: place for place, name in enumerate(_CLEAREST)}
        by_quality = sorted(
            self._voices.voices, key=lambda one: (clearest.get(one.name, len(clearest)), one.name)
        )
        ranked = sorted(by_quality, key=rank)
        if not ranked:
            return None, frozenset()
        best = [voice for voice in ranked if rank(voice)[:-1] == rank(ranked[0])[:-1]]
        if foreign:
            voice = self._taken.get(foreign)
            if voice is None:
                taken = set(self._taken.values())
                same = [one for one in best if one.name.partition("_")[2] == foreign.lower()]
                free = (one.name for one in (*same, *best) if one.name not in taken)
                voice = self._taken[foreign] = next(free, best[0].name)
        else:
            voice = best[(wish.variant - 1) % len(best)].name
        lacking = lacks(next(one for one in best if one.name == voice))
        return voice, frozenset(feature for feature, lacks_it in lacking.items() if lacks_it)
