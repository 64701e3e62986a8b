"""Books of any length: memory, and what is foretold."""

import json
import os
import subprocess
import sys

import pytest

from service.books.book import Chapter, Paragraph
from service.books.journal import Journal, KeptSound, PlannedChunk
from service.books.pace import Pace
from service.books.sections import TOGETHER, Pauses, sections, text_of_chapter
from service.errors import InvalidRequestError
from tests.service.files import open_files

MEASURED = """
import json, sys
from pathlib import Path
from bench.procfs import mebibytes
from service.books.book_files import read_book
from service.books.journal import Journal
from service.books.narration import Manner, Narration
from service.loading import load_synthesizer
from service.settings import load_settings

settings = load_settings({"cache_dir": sys.argv[3]})
book = read_book(Path(sys.argv[1]))
synthesizer = load_synthesizer(settings, lambda line: None)
narration = Narration(synthesizer, book.chapters, Manner())
troubles = []
with Journal(Path(sys.argv[2])) as journal:
    note = lambda what: isinstance(what, int) or troubles.append(str(what))
    journal.plan({"book": book.sha256}, narration.plan(note))
    for made, _ in zip(narration.make(journal), range(2)):
        pass
    lengths = journal.chapter_lengths()
    print(json.dumps([mebibytes("VmHWM") * 2**20, len(lengths), sum(lengths.values()), troubles]))
"""


def written(path, n_characters):
    """Write a book of so many characters, no two paragraphs of which are the same."""
    parts, length, number = [], 0, 0
    while length < n_characters:
        if number % 50 == 0:
            parts.append(f"CHAPTER {number // 50 + 1}")
        parts.append(
            f"On day {number} of the journey it rained from {number % 11 + 1} o'clock until noon, "
            "and the captain, who had slept badly, said little and wrote much. "
            f"“We have seen {number + 3} birds,” he told the cook; “and no land at all.” "
            "Nobody answered him. The sails hung like washing, and the sea was grey."
        )
        length += len(parts[-1]) + 2
        number += 1
    path.write_text("\n\n".join(parts))
    return path


@pytest.mark.slow
def test_a_million_characters_are_planned_in_400_mb(tmp_path, model_file, cache_dir):
    book = written(tmp_path / "long.txt", 1_000_000)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(book), str(tmp_path / "state"), str(cache_dir)],
        capture_output=True, text=True, check=False, env={**os.environ},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    peak_bytes, n_chapters, n_phonemes, troubles = json.loads(done.stdout)
    print(f"{peak_bytes / 1e6:.0f} MB, {n_chapters} chapters, {n_phonemes} phonemes")
    assert troubles == []
    assert n_chapters > 50
    assert n_phonemes > 800_000
    assert peak_bytes < 400_000_000


def test_what_is_foretold_after_a_tenth_is_right_within_a_tenth():
    """With chunks whose lengths and pauses vary as those of a book do."""
    chunks = [(n % 7, 70 + 37 * n % 81, 1500 * (70 + 37 * n % 81) + 13_000) for n in range(700)]
    totals = {}
    for chapter, n_phonemes, _ in chunks:
        totals[chapter] = totals.get(chapter, 0) + n_phonemes
    true_s = sum(n_samples for *_, n_samples in chunks) / 24_000
    pace = Pace(totals, {}, sum(totals.values()))
    assert pace.foretold_s is None
    assert pace.left_s is None
    for number, chunk in enumerate(chunks):
        pace.add(*chunk)
        if number >= len(chunks) // 10:
            assert pace.foretold_s == pytest.approx(true_s, rel=0.1)
            assert pace.share == pytest.approx((number + 1) / len(chunks), abs=0.1)
    assert pace.share == 1
    assert pace.left_s == 0


def test_what_was_made_before_counts_for_the_share_but_not_for_the_speed():
    pace = Pace({0: 100, 1: 100}, {0: 100}, 200)
    assert (pace.share, pace.share_of(0), pace.share_of(1)) == (0.5, 1.0, 0.0)
    assert pace.left_s is None
    pace.add(1, 50, 24_000)
    assert pace.foretold_s == 4
    assert pace.share == 0.75


def test_sections_hold_all_of_a_chapter_and_pauses_follow_from_what_comes_next():
    chapter = Chapter(
        "One",
        (
            Paragraph("One", "heading"), Paragraph("“Yes.”"), Paragraph("“No.”"), Paragraph("x" * TOGETHER),
            Paragraph("The end"), Paragraph("", "break"), Paragraph("[voice:a]It"),
            Paragraph("goes on[/voice] here", "verse"),
        ),
    )  # fmt: skip
    pauses = Pauses(1, 2, 3, 4)
    found = list(sections(chapter, pauses))
    text = text_of_chapter(chapter)
    assert [(one.text, one.pause_s) for one in found] == [
        ("One", 2), (f"“Yes.”\n\n“No.”\n\n{'x' * TOGETHER}", 1), ("The end", 3),
        ("[voice:a]It\n\ngoes on[/voice] here", 4),
    ]  # fmt: skip
    for section in found:
        assert text[section.start : section.start + len(section.text)] == section.text
    assert "\n\n".join(one.text for one in found) == text


def test_what_is_there_twice_is_made_once(tmp_path):
    """A refrain: it counts for the length, and not for the work."""
    keys = ["verse 1", "refrain", "verse 2", "refrain", "refrain"]
    with Journal(tmp_path / "state") as journal:
        journal.plan({"book": "1"}, (PlannedChunk(n // 3, n, key, 10, ()) for n, key in enumerate(keys)))
        assert journal.chapter_lengths() == {0: 30, 1: 20}
        assert journal.work_lengths() == {0: 30}
        pace = Pace(journal.work_lengths(), journal.made_lengths(), 50)
        for number, key in enumerate(dict.fromkeys(keys), start=1):
            journal.keep(key, KeptSound(b"", 24_000, ()))
            pace.add(0, 10, 24_000)
            assert pace.share == pytest.approx(number / 3)
            assert pace.share_of(1) == 1
            assert pace.foretold_s == pytest.approx(5)
            assert journal.made_lengths() == {0: 10 * number}


# The state of a book that is being spoken.


def test_a_damaged_state_is_told_and_no_file_stays_open(tmp_path):
    with Journal(tmp_path):
        assert open_files(tmp_path)
    assert not open_files(tmp_path)
    (tmp_path / "speech.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(InvalidRequestError, match="is damaged"):
        Journal(tmp_path)
    assert not open_files(tmp_path)
