"""The choice of a voice for what a document asks of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

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

_REQUIRED = frozenset({"languages"})
"""Features without which no voice will do, if a document does not say."""

_KEPT = 64
"""Kinds of voices that are remembered; few documents ask for ten."""


@dataclass(frozen=True)
class Choice:
    """A voice that was chosen.

    Attributes:
        blend: the voice; None for the one that speaks anyway.
        reason: why it is not what was asked for; empty if it is.
        is_silent: whether the text is not read.
        language: code of the language that it speaks, if no voice has that for its own.
    """

    blend: Blend | None
    reason: str = ""
    is_silent: bool = False
    language: str | None = None


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
        clearest = {name: place for place, name in enumerate(_CLEAREST)}
        self._by_quality = sorted(
            voices.voices, key=lambda one: (clearest.get(one.name, len(clearest)), one.name)
        )
        self._alike = lru_cache(_KEPT)(self._find_alike)
        self._taken: dict[str, str] = {}
        self._chosen: dict[tuple[VoiceWish, str | None], Choice] = {}

    def choose(self, wish: VoiceWish, language: str | None) -> Choice:
        """Return the voice for a wish.

        Args:
            wish: what is asked.
            language: code of the language that is spoken around it; None if unknown.
        """
        found = self._chosen.get((wish, language))
        if found is None:
            found = self._choose(wish, language)
            if found.blend is None and wish.outer is not None:
                outer = self.choose(wish.outer, language)
                found = Choice(outer.blend, found.reason)
            self._chosen[wish, language] = found
        return found

    def _choose(self, wish: VoiceWish, language: str | None) -> Choice:
        foreign: ForeignVoice | None = None
        foreign_name = ""
        asked = f"{' '.join(wish.names)!r:.60}"
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
            return self._failed(wish, f"there is no voice {asked}")
        wanted = languages or tuple(filter(None, [language]))
        voice, lacking = self._best(wish, wanted, sex, foreign_name)
        if voice is None or (lacking & (wish.required or _REQUIRED) and (wish.keeps or wish.skips)):
            return self._failed(wish, "no voice is like this; the voice stays as it is")
        if wish.names or lacking:
            what = f"there is no voice {asked}" if wish.names else "no voice is like this"
            spoken = self._spoken(voice, languages)
            return Choice(self._voices.resolve(voice), f"{what}; {voice} speaks", language=spoken)
        reason = "there are only women and men" if wish.sex == "neutral" else ""
        return Choice(self._voices.resolve(voice), reason)

    def _spoken(self, voice: str, languages: tuple[str, ...]) -> str | None:
        """Return the language that a voice of another one is to speak, None for its own."""
        own = self._voices.resolve(voice).language
        if not languages or own in languages or LANGUAGES[languages[0]].default_voice is not None:
            return None
        return languages[0]

    @staticmethod
    def _failed(wish: VoiceWish, reason: str) -> Choice:
        if wish.skips:
            return Choice(None, f"{reason.partition(';')[0]}; its text is not read", is_silent=True)
        return Choice(None, reason)

    def _own(self, name: str) -> Blend | None:
        """Return a voice, a blend or a speaker by its name."""
        folded = name.casefold()
        if name not in self._names and not any(voice in folded for voice in self._folded):
            return None  # sooner than an error that names the nearest voice
        for known in (self._names.get(name), name, self._folded.get(folded)):
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
        best, lacking = self._alike(languages, sex, wish.ordering, wish.required)
        if not best:
            return None, lacking
        if not foreign:
            return best[(wish.variant - 1) % len(best)], lacking
        voice = self._taken.get(foreign)
        if voice is None:
            taken = set(self._taken.values())
            given = re.findall("[a-z]+", foreign.lower())
            same = [one for one in best if one.partition("_")[2] in given]
            free = (one for one in (*same, *best) if one not in taken)
            voice = self._taken[foreign] = next(free, best[0])
        return voice, lacking

    def _find_alike(
        self,
        languages: tuple[str, ...],
        sex: str | None,
        ordering: tuple[str, ...],
        required: frozenset[str],
    ) -> tuple[list[str], frozenset[str]]:
        """Return the voices that are like this as much as any, and the features that they lack."""

        def lacking(voice: Voice) -> frozenset[str]:
            features = {
                "languages": bool(languages) and voice.language not in languages,
                "gender": sex is not None and voice.sex != sex,
            }
            return frozenset(name for name, lacks_it in features.items() if lacks_it)

        def rank(voice: Voice) -> tuple[bool, ...]:
            lacks = lacking(voice)
            return (not lacks.isdisjoint(required), *(feature in lacks for feature in ordering))

        def is_usual(voice: Voice) -> bool:
            known = LANGUAGES.get(voice.language or "")
            return known is not None and voice.name == known.default_voice

        ranks = [rank(voice) for voice in self._by_quality]
        least = min(ranks, default=())
        best = [one for one, own in zip(self._by_quality, ranks, strict=True) if own == least]
        best.sort(key=is_usual, reverse=True)
        return [one.name for one in best], lacking(best[0]) if best else frozenset()
