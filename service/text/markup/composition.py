"""Build passages from words, spaces and pauses."""

from __future__ import annotations

from dataclasses import replace

from service.text.markup.passages import Hint, Interpretation, Passage, Pause, VoiceSettings
from service.text.markup.stretches import stretches
from service.text.markup.values import is_blank
from service.text.offset_mapping import TracedText, concatenate
from service.text.spans import Override


class FoldedText:
    """Text that is built from words and spaces, with white space folded.

    Attributes:
        space: the pending space, which is written before the next words.
    """

    def __init__(self) -> None:
        self._parts: list[TracedText] = []
        self._length = 0
        self.space: TracedText | None = None

    def __len__(self) -> int:
        return self._length

    @property
    def text(self) -> TracedText:
        """Return the text so far."""
        return concatenate(self._parts)

    def add(self, words: TracedText) -> None:
        """Add words, after the pending space."""
        if self.space is not None and self._length:
            self._append(self.space)
        self.space = None
        self._append(words)

    def add_space(self, source: TracedText, space: str = " ") -> None:
        """Add a space, or a break in place of one. `source` is the text that it comes from."""
        if self.space is None or len(space) > len(self.space):
            self.space = source.rewritten(space)

    def _append(self, part: TracedText) -> None:
        self._parts.append(part)
        self._length += len(part)


class Composition:
    """Collects passages and pauses. Words with equal voice settings become one passage."""

    def __init__(self) -> None:
        self._items: list[Passage | Pause] = []
        self._last = -1  # where the last passage is
        self._voice_settings = VoiceSettings()
        self._begin()

    def _begin(self) -> None:
        self._text = FoldedText()
        self._overrides: list[Override] = []
        self._hints: list[Hint] = []
        # Offsets in the passage, and the stress of the words from there on.
        self._stresses: list[tuple[int, float]] = [(0, 0.0)]

    def add(self, words: TracedText, voice_settings: VoiceSettings, stress: float = 0.0) -> None:
        """Add words with their stress raised by a number of steps."""
        if voice_settings != self._voice_settings:
            self._end_passage()
            self._voice_settings = voice_settings
        if stress != self._stresses[-1][1]:
            self._stresses.append((len(self._text), stress))
        if not len(self._text) and self._text.space is not None:
            self._widen_gap(self._text.space.text)
        self._text.add(words)

    def add_pronounced(
        self, words: TracedText, phonemes: str, voice_settings: VoiceSettings
    ) -> None:
        """Add words with given phonemes."""
        self.add(words, voice_settings)
        self._overrides.append(Override(*words.span, phonemes=phonemes))

    def add_interpreted(
        self,
        words: TracedText,
        interpretation: Interpretation,
        detail: str,
        voice_settings: VoiceSettings,
        stress: float,
    ) -> None:
        """Add words of a known kind."""
        self.add(words, voice_settings, stress)
        self._hints.append(Hint(*words.span, interpretation, detail))
        if interpretation == "characters":  # `A one` are names of letters, not an article
            self._overrides.append(Override(*words.span, tag="NN", stress=stress))

    def add_space(self, source: TracedText) -> None:
        """Add white space."""
        self._text.add_space(source)

    def end_sentence(self, source: TracedText) -> None:
        """End the sentence: add a blank line, which is read as a full stop."""
        self._text.add_space(source, "\n\n")

    def add_pause(self, pause: Pause) -> None:
        """Add a pause."""
        self._end_passage()
        self._items.append(pause)

    def add_sense(
        self, words: TracedText, tag: str, voice_settings: VoiceSettings, stress: float
    ) -> None:
        """Add words that are read as one part of speech, or in one sense."""
        self.add(words, voice_settings, stress)
        self._overrides.append(Override(*words.span, tag=tag, stress=stress))

    def cut(self) -> int:
        """End the passage; return how many passages and pauses there are."""
        self._end_passage()
        return len(self._items)

    def repeat(self, start: int, times: int) -> None:
        """Add what has come since `cut` returned `start`, so many times more."""
        self._end_passage()
        if times:
            self._widen_gap(" ")
        n_repeated = (len(self._items) - start) * times
        self._items += self._items[start:] * times
        self._last += n_repeated if self._last >= start else 0

    def n_characters(self, start: int) -> int:
        """Return how many characters have come since `cut` returned `start`."""
        self._end_passage()
        return sum(len(item.text) for item in self._items[start:] if isinstance(item, Passage))

    def finish(self) -> list[Passage | Pause]:
        """Return all passages and pauses."""
        self._end_passage()
        return self._items

    def _end_passage(self) -> None:
        text = self._text.text
        if not is_blank(text.text):
            given = {(override.start, override.end) for override in self._overrides}
            stressed = (o for o in self._stressed(text) if (o.start, o.end) not in given)
            overrides = sorted([*self._overrides, *stressed], key=lambda override: override.start)
            self._items.append(
                Passage(text, self._voice_settings, tuple(overrides), tuple(self._hints))
            )
            self._last = len(self._items) - 1
        if self._text.space is not None:
            self._widen_gap(self._text.space.text)
        self._begin()

    def _widen_gap(self, gap: str) -> None:
        """Note white space after the last passage."""
        item = self._items[self._last] if self._last >= 0 else None
        if isinstance(item, Passage) and len(gap) > len(item.gap):
            self._items[self._last] = replace(item, gap=gap)

    def _stressed(self, text: TracedText) -> list[Override]:
        overrides: list[Override] = []
        ends = [*(start for start, _ in self._stresses[1:]), len(text)]
        for (start, stress), end in zip(self._stresses, ends, strict=True):
            if not stress:
                continue
            for first, last in stretches(text.text[start:end]):
                words = text[start + first : start + last].span
                # Words with the same span in the source get one override.
                if not overrides or words[0] >= overrides[-1].end:
                    overrides.append(Override(*words, stress=stress))
        return overrides
