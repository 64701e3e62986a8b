"""Dialogues: turns that become one utterance, and what is known of it by turn."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from service.errors import InvalidRequestError
from service.speech.timing import WordTime
from service.speech.utterance import Turn, Utterance

BETWEEN = "\n\n"
"""What stands between the texts of two turns in the text of the utterance."""

USUAL_PAUSE_S = 0.4
"""Silence between two turns. Speakers who take turns leave 0.2 s in talk, and more in a play."""

MOST_TURNS = 1_000


@dataclass(frozen=True)
class SaidTurn:
    """A turn as a client sends it; see `Turn`."""

    text: str
    voice: str | None = None
    speed: float = 1.0
    language: str | None = None
    pause_s: float | None = None


def dialogue(turns: Sequence[SaidTurn], utterance: Utterance, pause_s: float) -> Utterance:
    """Return an utterance of turns.

    Args:
        turns: in order.
        utterance: how all of it is said; its text does not matter.
        pause_s: silence between two turns, unless the first has its own.
    """
    placed: list[Turn] = []
    start = 0
    for number, turn in enumerate(turns, start=1):
        end = start + len(turn.text)
        usual_s = pause_s if number < len(turns) else None
        own_s = usual_s if turn.pause_s is None else turn.pause_s
        placed.append(Turn(start, end, turn.voice, turn.speed, turn.language, own_s))
        start = end + len(BETWEEN)
    text = BETWEEN.join(turn.text for turn in turns)
    return replace(utterance, text=text, kind="text", turns=tuple(placed))


_LINE = re.compile(r"(?P<name>[^\s:][^:\n]{0,63}?)\s*:\s+(?P<text>\S.*)")


def turns_of_play(text: str, speakers: Container[str]) -> list[SaidTurn]:
    """Return the turns of a play: `ANNA: text`, and lines that go on.

    What is before a colon is a speaker if it is one of the known ones, or all in capitals.

    Args:
        text: the play.
        speakers: names of those that have a voice, in the case in which lines give them.

    Raises:
        InvalidRequestError: a speaker has no voice, or a text comes before all speakers.
    """
    turns: list[SaidTurn] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line.strip())
        name = match["name"] if match is not None else ""
        if match is not None and (name in speakers or name.isupper()):
            if name not in speakers:
                raise InvalidRequestError(
                    f"line {number}: {name} has no voice; give one, such as --voice {name}=af_bella"
                )
            turns.append(SaidTurn(match["text"], name))
        elif line.strip():
            if not turns:
                raise InvalidRequestError(f"line {number} names no speaker, such as ANNA: ...")
            turns[-1] = replace(turns[-1], text=f"{turns[-1].text}\n{line.strip()}")
    if not turns:
        raise InvalidRequestError("the play has no lines such as ANNA: ...")
    return turns


@dataclass(frozen=True)
class TurnWord:
    """A word with its turn.

    Attributes:
        turn: number of the turn, from 0.
        word: with its offsets in the turn's own text.
    """

    turn: int
    word: WordTime


def by_turn(words: Iterable[WordTime], turns: Sequence[Turn]) -> list[TurnWord]:
    """Return words, in order, with their turns."""
    found: list[TurnWord] = []
    number = 0
    for word in words:
        while number + 1 < len(turns) and word.text_start >= turns[number + 1].start:
            number += 1
        start = turns[number].start
        own = replace(word, text_start=word.text_start - start, text_end=word.text_end - start)
        found.append(TurnWord(number, own))
    return found
