"""Write sound files with chapters, tags and a cover, by PyAV. Needs the extra `books`."""

from __future__ import annotations

import base64
import errno
import io
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from service.audio.sample_rates import SOURCE_RATE_HZ
from service.audio.sound_file import LOSSY_KBPS
from service.covers import Cover

BookFormat = Literal["m4b", "mp3", "opus", "flac"]
BOOK_FORMATS: tuple[BookFormat, ...] = get_args(BookFormat)

BOOK_TAG = "kokoro_book"
"""Has the fingerprints of a book. Players do not show tags that they do not know. Where FFmpeg
writes known tags only, it is a keyword, which players do not show either."""

_KEYWORDS = "keywords"
_KEYWORD_START = f"{BOOK_TAG}:"

_TIME_BASE = Fraction(1, SOURCE_RATE_HZ)
_FRONT_COVER = 3
"""The kind of a picture in ID3 and FLAC."""

_OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG})


_PAIRS = (
    "aaaar ababk afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih "
    "bibis bmbam bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym "
    "dadan dedeu dvdiv dzdzo eeewe elell eneng eoepo esspa etest eueus fafas ffful fifin fjfij "
    "fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv hahau hehbr hihin hohmo hrhrv hthat "
    "huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl itita iuiku jajpn jvjav "
    "kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor kykir "
    "lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon "
    "mrmar msmsa mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya "
    "ococi ojoji omorm orori ososs papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus "
    "rwkin sasan scsrd sdsnd sesme sgsag sisin skslk slslv smsmo snsna sosom sqsqi srsrp ssssw "
    "stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn toton trtur tstso "
    "tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid yoyor "
    "zazha zhzho zuzul frefra gerdeu chizho dutnld greell perfas rumron sloslk czeces armhye "
    "baqeus burmya geokat iceisl macmkd maomri maymsa albsqi tibbod welcym"
)
_ISO_639_2 = {pair[:-3]: pair[-3:] for pair in _PAIRS.split()}
"""Codes of languages for terms, by those of ISO 639-1 and by those for bibliographies."""


@dataclass(frozen=True)
class _Container:
    """How FFmpeg writes a format.

    Attributes:
        muxer: its name.
        encoder: its name.
        options: of both.
        gain: what the encoder multiplies samples by.
        has_own_tags: whether tags may have any name.
    """

    muxer: str
    encoder: str
    options: dict[str, str] = field(default_factory=dict)
    gain: float = 1.0
    has_own_tags: bool = True


_CONTAINERS: dict[BookFormat, _Container] = {
    # The index comes first, so that players can seek while they load.
    "m4b": _Container(
        "mp4", "aac",
        {"movflags": "+faststart", "movie_timescale": str(SOURCE_RATE_HZ), "brand": "M4B "},
        has_own_tags=False,
    ),
    # LAME's presets below 128 kbit/s make everything quieter, which FFmpeg cannot turn off; sines
    # of 300 to 3,000 Hz came out at 0.9500 of their size.
    "mp3": _Container("mp3", "libmp3lame", {"id3v2_version": "3"}, 0.95),
    # A serial number that is not random: the same book gives the same bytes.
    "opus": _Container("ogg", "libopus", {"serial_offset": "1", "fflags": "+bitexact"}),
    "flac": _Container("flac", "flac"),
}  # fmt: skip


@dataclass(frozen=True)
class AudioChapter:
    """A chapter of a sound file: its title, and its first sample and the one after its last."""

    title: str
    start: int
    end: int


class CoverError(Exception):
    """A cover cannot be put into a sound file, of which nothing is written yet."""


@dataclass(frozen=True)
class Contents:
    """What a sound file says of itself; empty where it says nothing.

    Attributes:
        album: the book.
        title: the book, or the chapter in a file of one chapter.
        chapters: their titles.
        book: the value of `BOOK_TAG`.
    """

    album: str
    title: str
    chapters: tuple[str, ...]
    book: str


def read_contents(path: Path) -> Contents:
    """Return what a sound file says of itself.

    Raises:
        ValueError: it is no sound file.
        OSError: it cannot be read.
    """
    import av

    try:
        with av.open(str(path)) as file:
            tags = {**file.metadata, **(file.streams[0].metadata if file.streams else {})}
            chapters: list[Any] = file.chapters()
    except av.error.InvalidDataError as error:
        raise ValueError(f"{path} is no sound file: {error}") from error
    titles = tuple(str(chapter["metadata"].get("title", "")) for chapter in chapters)
    # Who tags files may write the names of tags as they like.
    folded = {name.lower(): value for name, value in tags.items()}
    book = folded.get(BOOK_TAG, "")
    for keyword in folded.get(_KEYWORDS, "").split(","):
        if keyword.strip().startswith(_KEYWORD_START):
            book = keyword.strip().removeprefix(_KEYWORD_START)
    return Contents(tags.get("album", ""), tags.get("title", ""), titles, book)


def write_chaptered(
    path: Path,
    book_format: BookFormat,
    samples: Iterable[npt.NDArray[np.float32]],
    chapters: Sequence[AudioChapter],
    tags: dict[str, str],
    cover: Cover | None = None,
) -> None:
    """Write a sound file. Memory does not grow with its length.

    Args:
        path: of the file.
        book_format: one of `BOOK_FORMATS`.
        samples: float32 arrays, mono at 24 kHz, in order.
        chapters: in order; they may be empty.
        tags: in FFmpeg's terms: `title`, `artist`, `album`, `language`, `genre`, `track`; and
            `BOOK_TAG`.
        cover: None for none.

    Raises:
        OSError: the file cannot be written.
        CoverError: the cover cannot be put into it, and no sample was taken.
    """
    import av

    how = _CONTAINERS[book_format]
    if BOOK_TAG in tags and not how.has_own_tags:
        tags = {**tags, _KEYWORDS: f"{_KEYWORD_START}{tags[BOOK_TAG]}"}
        del tags[BOOK_TAG]
    with av.open(str(path), "w", format=how.muxer, options=how.options) as output:
        stream: Any = output.add_stream(how.encoder, rate=SOURCE_RATE_HZ)
        stream.layout = "mono"
        if book_format != "flac":
            stream.bit_rate = LOSSY_KBPS * 1000
        if not how.has_own_tags or book_format == "mp3":
            tags = {**tags, **_language(tags)}
        output.metadata.update(tags)
        # FFmpeg writes none in FLAC, and in Ogg half of them a second late: it rounds the seconds
        # and the milliseconds each by itself.
        if book_format == "flac":
            output.metadata.update(_comments(chapters))
        elif book_format == "opus":
            stream.metadata.update(_comments(chapters))
        else:
            output.set_chapters([_chapter(n, one) for n, one in enumerate(chapters)])
        if book_format in ("m4b", "opus") and "language" in tags:
            stream.metadata["language"] = tags["language"]
        if book_format == "opus":
            stream.metadata.update(tags)
        if cover is not None:
            with _of_the_cover():
                if book_format == "opus":
                    stream.metadata["METADATA_BLOCK_PICTURE"] = _picture_block(cover)
                    output.start_encoding()
                else:
                    packet = _attached(output, cover)
                    output.start_encoding()
                    output.mux(packet)
        output.start_encoding()
        codec = stream.codec_context
        frames = av.AudioResampler(
            format=codec.format.name, layout="mono", rate=SOURCE_RATE_HZ,
            frame_size=codec.frame_size or 4096,
        )  # fmt: skip
        gain = np.float32(1 / how.gain)
        n_samples = 0
        for part in samples:
            if part.size == 0:
                continue
            frame = av.AudioFrame.from_ndarray(
                np.ascontiguousarray(np.clip(part * gain, -1.0, 1.0)[None]), "fltp", "mono"
            )
            frame.sample_rate, frame.time_base, frame.pts = SOURCE_RATE_HZ, _TIME_BASE, n_samples
            n_samples += part.size
            for whole in frames.resample(frame):
                output.mux(stream.encode(whole))
        for rest in frames.resample(None):
            output.mux(stream.encode(rest))
        output.mux(stream.encode(None))


def _language(tags: Mapping[str, str]) -> dict[str, str]:
    """Return the language as MP4 and ID3 have it: three letters of ISO 639-2, for terms."""
    if "language" not in tags:
        return {}
    primary = re.split("[-_.@]", tags["language"].strip().lower(), maxsplit=1)[0]
    return {"language": _ISO_639_2.get(primary, primary if len(primary) == 3 else "und")}


def _chapter(number: int, chapter: AudioChapter) -> Any:
    return {
        "id": number,
        "start": chapter.start,
        "end": chapter.end,
        "time_base": _TIME_BASE,
        "metadata": {"title": chapter.title},
    }


def _comments(chapters: Sequence[AudioChapter]) -> dict[str, str]:
    """Return the comments in which FLAC and Ogg have chapters."""
    comments = {}
    for number, chapter in enumerate(chapters):
        milliseconds = round(chapter.start * 1000 / SOURCE_RATE_HZ)
        minutes, rest = divmod(milliseconds, 60_000)
        time = f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"
        comments[f"CHAPTER{number:03}"] = time
        comments[f"CHAPTER{number:03}NAME"] = chapter.title
    return comments


@contextmanager
def _of_the_cover() -> Iterator[None]:
    """Make a CoverError of what libraries say of a cover, but not of what a disk does."""
    import av

    try:
        yield
    except (av.error.FFmpegError, IndexError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
            raise
        raise CoverError("the cover cannot be put into the file") from error


def _attached(output: Any, cover: Cover) -> Any:
    """Add a stream for the cover; return its only packet."""
    import av
    from av.stream import Disposition

    with av.open(io.BytesIO(cover.content)) as picture:
        stream = output.add_stream_from_template(picture.streams.video[0])
    stream.disposition = Disposition.attached_pic
    packet = av.Packet(cover.content)
    packet.stream = stream
    packet.pts = packet.dts = 0
    packet.is_keyframe = True
    packet.time_base = Fraction(1, 25)
    return packet


def _picture_block(cover: Cover) -> str:
    """Return the cover as a comment of Ogg: a FLAC picture block (RFC 9639, 8.8) in Base64."""
    import av

    with av.open(io.BytesIO(cover.content)) as picture:
        codec = picture.streams.video[0].codec_context
        width, height = codec.width, codec.height
    kind = cover.media_type.encode()
    block = struct.pack(">II", _FRONT_COVER, len(kind)) + kind
    block += struct.pack(">IIIIII", 0, width, height, 24, 0, len(cover.content)) + cover.content
    return base64.b64encode(block).decode()
