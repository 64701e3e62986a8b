"""Subtitles are read whole, and said at their times."""

import json
from datetime import datetime, timezone

import numpy as np
import pytest

from service.audio.sound_file import read_samples
from service.books import book_files
from service.books.audiobook import Audiobook, Order
from service.books.book_files import read_book
from service.books.choice import Choice
from service.books.cue_times import MOST_QUICKER, as_prose
from service.books.document_budget import Document
from service.books.journal import Journal
from service.books.ledger import Ledger
from service.books.narration import Manner
from service.books.outputs import Output
from service.errors import InvalidRequestError
from tests.service.books.recorded_books import Heard

VTT = """WEBVTT - a talk
Kind: captions
Language: en

STYLE
::cue { color: red }

NOTE this is
for nobody

intro
00:01.000 --> 00:02.500 align:start
<v Anna>Hello <i>there</i> &amp; you, <c.loud>2 < 3</c>

NOTE not this

00:00:03.000 --> 00:00:04.000
- One
- Two, <00:00:03.500>three

2
00:05.000 --> 00:06.000

00:07.000 --> 00:08.000
<ruby>漢<rt>かん</rt></ruby>字を
読む
"""

SRT = """\ufeff1\r
00:00:01,000 --> 00:00:02,500\r
Hello <i>there</i> {\\an8}you\r
2019\r
\r
3\r
00:00:05.0 --> 00:00:06,000 X1:1 X2:2\r
well-\r
known & <b>good</b> <3\r
\r
after a blank\r
\r
\r
4\r
00:00:03,000 -> 00:00:04,000\r
1984\r
"""


def cues(tmp_path, name, text):
    """Read subtitles whose ledger is to be whole; return times and texts of their cues."""
    path = tmp_path / name
    path.write_bytes(text.encode())
    ledger = Ledger(keeps_texts=True)
    book = book_files.read(Document(path, name, ledger))
    assert not ledger.unaccounted
    return book, [(one.times, one.text) for one in book.chapters[0].paragraphs]


def test_cues_of_webvtt_have_their_text_and_nothing_else(tmp_path):
    book, found = cues(tmp_path, "talk.vtt", VTT)
    assert (book.title, book.language) == ("talk", "en")
    assert found == [
        ((1.0, 2.5), "Hello there & you, 2 < 3"),
        ((3.0, 4.0), "One,\nTwo, three"),
        ((7.0, 8.0), "漢字を読む"),
    ]
    assert [str(one) for one in book.omissions] == ["1 reading aid"]


def test_cues_of_subrip_keep_numbers_and_what_follows_a_blank_line(tmp_path):
    book, found = cues(tmp_path, "talk.fr.srt", SRT)
    assert (book.title, book.language) == ("talk", "fr")
    assert found == [
        ((1.0, 2.5), "Hello there you 2019"),
        ((3.0, 4.0), "1984"),
        ((5.0, 6.0), "well-known & good <3 after a blank"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings_of_subtitles_are_known(tmp_path, encoding):
    line = "Il a plu toute la nuit, et personne n’a dormi dans la forêt près de la rivière où l’été s’achève."
    text = f"1\n00:00:01,000 --> 00:00:02,000\n{line}\n"
    (tmp_path / "a.srt").write_bytes(text.encode(encoding))
    assert read_book(tmp_path / "a.srt").chapters[0].paragraphs[0].text == line


def test_without_times_cues_become_whole_sentences(tmp_path):
    text = "\n\n".join(
        f"00:0{n}.000 --> 00:0{n}.900\n{line}" for n, line in enumerate(["It rained", "all night.", "Yes!"])
    )
    book, _ = cues(tmp_path, "a.vtt", f"WEBVTT\n\n{text}")
    assert [one.text for one in as_prose(book.chapters[0]).paragraphs] == ["It rained all night.", "Yes!"]


TALK = """1
00:00:01,000 --> 00:00:04,000
It rained all night.

2
00:00:05,000 --> 00:00:06,500
Nobody slept in the little town by the sea, not even the old dog.

3
00:00:06,500 --> 00:00:07,000
Who has ever seen anything like this in all the years that you have lived here?

4
00:00:07,000 --> 00:00:09,000
I have not.

5
00:00:20,000 --> 00:00:22,000
Then it was morning.
"""


def fit(path, output, synthesizer, timestamps=()):
    """Say subtitles at their times; return what was told."""
    book = read_book(path)
    order = Order(Choice(), Manner(fits=True), Output.of(output, None), timestamps=timestamps)
    told = Heard()
    with Journal(order.output.state) as journal:
        audiobook = Audiobook(book, order.choice.of(book), order, journal, told)
        audiobook.make(synthesizer, lambda identity: journal.identity != dict(identity))
        audiobook.write(datetime(2026, 1, 31, tzinfo=timezone.utc))
    return told


@pytest.mark.thorough
def test_each_cue_begins_at_its_time_and_is_quicker_if_it_must_be(tmp_path, synthesizer):
    (tmp_path / "talk.srt").write_text(TALK)
    output = tmp_path / "out.flac"
    told = fit(tmp_path / "talk.srt", output, synthesizer, ("json",))
    (fitted,) = [fields["cues"] for event, _, fields in told.events if event == "fitted"]
    by_number = {one["number"]: one for one in fitted}
    assert not {1, 5}.intersection(by_number)
    assert 1 < by_number[2]["quicker"] <= MOST_QUICKER
    assert by_number[3]["quicker"] == MOST_QUICKER
    assert by_number[4]["late_s"] > 0.05
    assert by_number[4]["quicker"] == 1.0
    (note,) = told.of("note")
    assert "cue 2 at 0:00:05 is 1." in note
    assert "cue 4 at 0:00:07 begins" in note
    samples = np.abs(read_samples(output.read_bytes()))
    spoken = json.loads(output.with_suffix(".json").read_text())["chapters"][0]
    starts = {one["text"].split()[0]: one["start_s"] for one in spoken["sentences"]}
    for word, at in (("It", 1.0), ("Nobody", 5.0), ("Then", 20.0)):
        assert starts[word] == pytest.approx(at, abs=0.15)
        heard = np.flatnonzero(samples[round((at - 0.5) * 24_000) :] > 0.02)[0] / 24_000
        assert heard - 0.5 == pytest.approx(0.0, abs=0.15)
    assert starts["I"] >= 7.0 + by_number[4]["late_s"] - 0.01


@pytest.mark.thorough
def test_what_has_no_times_cannot_be_fitted(tmp_path, synthesizer):
    (tmp_path / "a.txt").write_text("It rained.")
    (tmp_path / "b.srt").write_text("1\n99:00:00,000 --> 99:00:01,000\nLate.\n")
    for name, reason in (("a.txt", "have times to fit"), ("b.srt", "after 24 hours")):
        with pytest.raises(InvalidRequestError, match=reason):
            fit(tmp_path / name, tmp_path / "out.flac", synthesizer)
