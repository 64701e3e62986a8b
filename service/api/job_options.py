"""What a job makes of a document: its options, as they come and as they are kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from service.api.lexicon_field import LexiconField
from service.api.normalize_field import NORMALIZE, NormalizeField, normalization_of
from service.api.schemas import BLEND, MODEL, SPEAKERS, SSML, SpeakersField, SsmlField, cast_of
from service.audio import format_name
from service.audio.chaptered_file import BookFormat
from service.audio.loudness import USUAL_LUFS
from service.books.audiobook import LOUDNESSES_LUFS, Order
from service.books.book import PARTS
from service.books.casting import Cast
from service.books.choice import Choice, parts_of, timestamps_of
from service.books.labels import MAX_LABEL_LENGTH
from service.books.narration import Manner
from service.books.outputs import Output
from service.books.read_along import Unit
from service.books.sections import LONGEST_PAUSE_S, Pauses
from service.books.timings import TIMESTAMP_FORMATS
from service.jobs import JobOrder
from service.speech.plan import MAX_SPEED, MIN_SPEED
from service.text import UserLexicon

JobFormat = Literal[BookFormat, "epub"]

MAX_TITLE_LENGTH = MAX_LABEL_LENGTH

Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE_LENGTH, pattern=r"\S")]


def _listed(names: Iterable[str]) -> str:
    """Return the pattern of a list of names with commas."""
    name = f"({'|'.join(map(re.escape, names))})"
    return f"^{name}(,{name})*$"


def _book_format(name: object) -> object:
    """Return the format of a book by one of its names; AAC is in MP4, with chapters."""
    if not isinstance(name, str):
        return name
    found = format_name(name)
    return "m4b" if found == "aac" else found.removeprefix("application/").removesuffix("+zip")


class JobFields(BaseModel):
    """What a document becomes, as a query and a body can say it."""

    title: Title | None = Field(
        None, description="title; default: the document's own", examples=["Persuasion"]
    )
    format: Annotated[JobFormat, BeforeValidator(_book_format)] = Field(
        "m4b", description="of the audio; epub is the text with its audio, to be read along"
    )
    voice: str | None = Field(
        None,
        description="a voice or a blend of voices",
        examples=["af_heart"],
        json_schema_extra=BLEND,
    )
    quotes_voice: str | None = Field(
        None,
        examples=["bm_george"],
        description="a voice or a blend for what is between quotation marks; default: the same",
        json_schema_extra=BLEND,
    )
    model: str | None = MODEL
    speed: float = Field(1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False)
    language: str | None = Field(
        None, description="language code; default: the voice's language", examples=["en-us"]
    )
    normalize: NormalizeField = NORMALIZE
    ssml: SsmlField | None = SSML
    chapters: str | None = Field(
        None,
        max_length=1000,
        pattern=r"^\d{1,6}(-(\d{1,6})?)?(,\d{1,6}(-(\d{1,6})?)?)*$",
        description="numbers of the chapters that are read, such as 3-7,9; default: all",
        examples=["3-7,9"],
    )
    keep: str | None = Field(
        None,
        pattern=_listed(PARTS),
        description="parts that are read though usually left out: front, back, notes",
        examples=["notes"],
    )
    skip: str | None = Field(
        None,
        pattern=_listed(PARTS),
        description="parts that are left out: front, back, notes, tables, code, captions",
        examples=["tables,code"],
    )
    loudness: float = Field(
        USUAL_LUFS,
        ge=LOUDNESSES_LUFS[0],
        le=LOUDNESSES_LUFS[1],
        allow_inf_nan=False,
        description="of the whole, in LUFS; what is louder than -14 may fall short",
    )
    chapter_pause: float = Field(
        3.0, ge=0, le=LONGEST_PAUSE_S, allow_inf_nan=False, description="seconds after a chapter"
    )
    scene_pause: float = Field(
        2.0,
        ge=0,
        le=LONGEST_PAUSE_S,
        allow_inf_nan=False,
        description="seconds at a change of scene",
    )
    timestamps: str | None = Field(
        None,
        pattern=_listed(TIMESTAMP_FORMATS),
        description="files of times beside the audio: vtt, srt, json, ass, words.vtt, words.srt",
        examples=["vtt,json"],
    )
    by: Unit = Field("sentence", description="what an epub highlights")
    fit: bool = Field(
        False,
        description="whether each cue of subtitles is said at its time, up to 1.3 times as quick "
        "if it is too long",
    )


class JobOptions(JobFields):
    """What a document becomes."""

    speakers: SpeakersField = SPEAKERS
    lexicon: LexiconField = None

    def order(self, document: Path, lexicon: UserLexicon | None) -> JobOrder:
        """Return what a job is to do in the folder of its document.

        Args:
            document: the file of the text.
            lexicon: of the caller, under that of the options; None for none.

        Raises:
            InvalidRequestError: a field is wrong.
        """
        if self.lexicon is not None:
            lexicon = self.lexicon if lexicon is None else self.lexicon.over(lexicon)
        manner = Manner(
            Cast(narrator=self.voice, speakers=cast_of(self.speakers), quotes=self.quotes_voice),
            self.speed,
            self.language,
            Pauses(scene=self.scene_pause, chapter=self.chapter_pause),
            normalization_of(self.normalize),
            lexicon,
            decoding="windows",
            fits=self.fit,
            strict_ssml=self.ssml == "strict",
        )
        path = document.with_name(f"output.{self.format}")
        output = (
            Output(path, "epub", "m4b")
            if self.format == "epub"
            else Output(path, "audio", self.format)
        )
        choice = Choice(parts_of(self.keep), parts_of(self.skip), self.chapters)
        timestamps = timestamps_of(self.timestamps)
        order = Order(choice, manner, output, self.loudness, timestamps, self.by)
        return JobOrder(document, self.title, order)
