"""Books are read aloud, whatever happens meanwhile."""

import hashlib
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import zipfile
from contextlib import closing, contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from service.audio.chaptered_file import BOOK_FORMATS
from service.audio.loudness import measure
from service.books.outputs import file_name
from tests.service import commands
from tests.service.audio.audio_samples import decoded
from tests.service.books import made_books
from tests.service.books.made_books import COVER, page
from tests.service.books.read_command import command, played, read, read_and_kill, read_whole
from tests.service.commands import complaint

pytestmark = pytest.mark.thorough

FAST = ("--speed", "2", "--chapter-pause", "0.5", "--scene-pause", "0.4")

TALE = """# One

The rain fell all night, and nobody slept in the little town by the sea that year.

[voice:ann]"Who is there?"[/voice] she asked.

* * *

Then it was morning.

# Two

The second chapter is [short](+1), and it ends here.
"""
CAST = '[speakers]\nann = "bf_emma"\n\n[chapters]\n2 = "bm_lewis"\n'


@pytest.fixture
def tale(tmp_path):
    path = tmp_path / "tale.md"
    path.write_text(TALE)
    (tmp_path / "cast.toml").write_text(CAST)
    return path


def cast_of(tale):
    return "--cast", str(tale.with_name("cast.toml"))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def state_of(output):
    """Lend the database of what is spoken of a book."""
    with closing(sqlite3.connect(Path(f"{output}.state") / "speech.sqlite")) as database, database:
        yield database


def test_a_book_that_is_killed_goes_on_and_is_the_same(tale, model_file, cache_dir):
    whole, output = tale.with_name("whole.m4b"), tale.with_name("tale.m4b")
    at_once = read_whole(tale, whole, cache_dir, *FAST, *cast_of(tale))
    n_chunks = len(at_once.of("progress"))
    calls = [
        read_and_kill(tale, output, cache_dir, *FAST, *cast_of(tale), after=3, by=number)
        for number in (signal.SIGKILL, signal.SIGINT)
    ]
    assert [call.returncode for call in calls] == [-9, 130]
    assert not output.exists()
    last = read_whole(tale, output, cache_dir, *FAST, *cast_of(tale))
    assert last.of("resumed")
    assert digest(output) == digest(whole)
    assert sum(len(call.of("progress")) for call in [*calls, last]) <= n_chunks
    assert not list(tale.parent.glob("*.state"))
    assert not list(tale.parent.glob(".*"))

    seen = played(output)
    (done,) = last.of("done")
    assert seen.duration_s * 24_000 == pytest.approx(done["samples"], abs=0.5)
    assert [title for title, _ in seen.chapters] == ["One", "Two"]
    assert seen.tags["title"] == "One"
    shares = [event["share"] for event in at_once.of("progress")]
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.slow
def test_thirty_kills_at_random_moments_change_nothing(tmp_path, model_file, cache_dir):
    book = tmp_path / "long.txt"
    chapters = (
        f"CHAPTER {number}\n\nThis is chapter number {number}, in which it rained for {number} "
        f"days, and nobody left the house before the {number + 20}th of May; " * 2
        for number in range(1, 7)
    )
    book.write_text("\n\n".join(chapters))
    whole, output = tmp_path / "whole.m4b", tmp_path / "long.m4b"
    n_chunks = len(read_whole(book, whole, cache_dir, *FAST).of("progress"))
    assert n_chunks > 10
    rng = random.Random(20_261_123)
    calls = []
    while sum(call.returncode == -9 for call in calls) < 30:
        if calls and calls[-1].returncode == 0:
            output.unlink()  # complete before the kills were: begin again
            n_complete = sum(call.returncode == 0 for call in calls)
            assert sum(len(call.of("progress")) for call in calls) <= n_chunks * n_complete
        moment = rng.choice([{"after": rng.randint(1, 4)}, {"after_s": rng.uniform(0.5, 9.0)}])
        calls.append(read_and_kill(book, output, cache_dir, *FAST, **moment))
        assert calls[-1].returncode in (0, -9)
        if calls[-1].returncode == 0:
            assert digest(output) == digest(whole)
    if not output.exists():
        read_whole(book, output, cache_dir, *FAST)
    assert digest(output) == digest(whole)


@pytest.mark.slow
def test_a_full_disk_loses_nothing(tale, model_file, cache_dir):
    """On a disk of 1 MB, then on the same disk made larger."""
    probe = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("no right to mount a small disk: run as root, or allow user namespaces")
    tale.write_text(
        "\n\n".join(f"On day {n} it rained from {n} to {n + 9} o'clock, and then some more." for n in range(1, 15))
    )
    whole, disk = tale.with_name("whole.flac"), tale.with_name("disk")
    read_whole(tale, whole, cache_dir)
    disk.mkdir()
    script = (
        'mount -t tmpfs -o size=1m none "$1"; disk="$1"; shift; "$@"; first=$?; mount -o remount,size=32m "$disk"; '
        '"$@" || exit; cp "$disk/tale.flac" "$disk/../got.flac"; exit $((first == 1 ? 0 : 99))'
    )
    done = subprocess.run(
        [*probe[:4], "sh", "-c", script, "sh", str(disk), *command(tale, disk / "tale.flac", cache_dir)],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "is full; what is made so far is kept" in done.stderr
    assert digest(tale.with_name("got.flac")) == digest(whole)


@pytest.mark.slow
def test_another_voice_or_book_is_noticed_and_only_what_differs_is_said_anew(tale, model_file, cache_dir):
    output = tale.with_name("tale.opus")
    options = (*FAST, *cast_of(tale), "--keep-state")
    first = read_whole(tale, output, cache_dir, *options)
    before = digest(output)
    assert len(read(tale, output, cache_dir, *options).of("progress")) == 0
    assert digest(output) == before

    tale.write_text(TALE.replace("it ends here", "it stops there"))
    asked = read(tale, output, cache_dir, *options)
    assert asked.returncode == 1
    assert "the book's text changed; --changed update" in asked.complaint
    assert digest(output) == before
    updated = read_whole(tale, output, cache_dir, *options, "--changed", "update")
    assert len(updated.of("progress")) == 1
    assert digest(output) != before

    with state_of(output) as database:
        database.execute("update identity set value = 'another' where name = 'version'")
    asked = read(tale, output, cache_dir, *options)
    assert asked.returncode == 1
    assert "the version changed" in asked.complaint

    asked = read(tale, output, cache_dir, *options, "--voice", "af_sky")
    assert "the voice and the version changed" in asked.complaint
    other = tale.with_name("other.opus")
    fresh = read(tale, output, cache_dir, *options, "--voice", "af_sky", "--changed", "fresh")
    assert len(fresh.of("progress")) == len(first.of("progress"))
    read_whole(tale, other, cache_dir, *options, "--voice", "af_sky")
    assert digest(output) == digest(other)


@pytest.mark.slow
def test_a_sound_that_changed_on_the_disk_is_made_again(tale, model_file, cache_dir):
    output = tale.with_name("tale.flac")
    options = (*FAST, *cast_of(tale), "--keep-state")
    read_whole(tale, output, cache_dir, *options)
    before = digest(output)
    with state_of(output) as database:
        (flac,) = database.execute("select flac from sound where rowid = 2").fetchone()
        database.execute("update sound set flac = ? where rowid = 2", (flac[:-50] + bytes(50),))
    damaged_call = read(tale, output, cache_dir, *options)
    assert damaged_call.returncode == 1
    assert "has changed on the disk" in damaged_call.complaint
    again = read(tale, output, cache_dir, *options)
    assert len(again.of("progress")) == 1
    assert digest(output) == before


def test_a_folder_has_a_file_for_each_chapter_and_times_for_all(tale, model_file, cache_dir):
    output = tale.with_name("tale")
    options = (*FAST, *cast_of(tale), "--timestamps", "json,vtt,srt,ass,words.vtt,words.srt", "--files", "flac")
    done = read_whole(tale, output, cache_dir, *options)
    files = sorted(path.name for path in output.iterdir())
    times = ["book.ass", "book.json", "book.srt", "book.vtt", "book.words.srt", "book.words.vtt"]
    assert files == ["01 One.flac", "02 Two.flac", *times]
    seen = [played(output / name) for name in files[:2]]
    assert [(one.tags["title"], one.tags["track"]) for one in seen] == [("One", "1/2"), ("Two", "2/2")]
    assert sum(one.n_samples for one in seen) == done.of("done")[0]["samples"]

    chapters = json.loads((output / "book.json").read_text())["chapters"]
    assert chapters[0]["text"] == (
        "One\n\nThe rain fell all night, and nobody slept in the little town by the sea that year."
        '\n\n"Who is there?" she asked.\n\nThen it was morning.'
    )
    sentences = ["Two", "The second chapter is short, and it ends here."]
    assert [one["text"] for one in chapters[1]["sentences"]] == sentences
    assert chapters[1]["start_s"] == pytest.approx(seen[0].n_samples / 24_000, abs=1e-6)
    end_s = 0.0
    for chapter in chapters:
        said = " ".join(one["text"] for one in chapter["sentences"])
        assert said == " ".join(chapter["text"].split())
        for word in chapter["words"]:
            assert chapter["text"][word["text_start"] : word["text_end"]] == word["text"]
            assert end_s <= word["start_s"] + 1e-6 <= word["end_s"] + 1e-6
            end_s = word["end_s"]
    assert (output / "book.vtt").read_text().startswith("WEBVTT\n")
    assert (output / "book.srt").read_text().startswith("1\n00:00:00,")
    n_words = sum(len(chapter["words"]) for chapter in chapters)
    for name in ("book.words.vtt", "book.words.srt"):
        assert (output / name).read_text().count(" --> ") == n_words
    assert (output / "book.ass").read_text().count("{\\k") == n_words
    assert (output / "book.ass").read_text().count("Dialogue:") == (output / "book.vtt").read_text().count(" --> ")


@pytest.mark.slow
def test_a_loud_book_has_its_peaks_when_it_is_decoded(tale, model_file, cache_dir):
    options = (*FAST, *cast_of(tale), "--loudness", "-12", "--keep-state")
    states = []
    for book_format in BOOK_FORMATS:
        output, again = (tale.with_name(f"{name}.{book_format}") for name in "ab")
        for path in (output, again):  # the second one as after a kill while it was written
            state = Path(f"{path}.state")
            if states:
                shutil.copytree(states[0], state)
            states.append(state)
            done = read_whole(tale, path, cache_dir, *options)
        assert digest(output) == digest(again)
        (told,) = done.of("levelled")
        assert told["asked_lufs"] == -12
        heard = measure(decoded(output))
        assert heard.peak_dbtp <= -1
        # AAC takes 0.16 LU from sound whose peaks were limited as much as here, the others less.
        allowed = 0.2 if book_format == "m4b" else 0.15
        assert heard.lufs == pytest.approx(told["lufs"], abs=allowed)
        assert -14 < heard.lufs < -11.9
    shown = subprocess.run(
        [*command(tale, output, cache_dir, *options), "--progress", "auto"],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    ).stderr  # fmt: skip
    assert f"the audio has {told['lufs']:.1f} LUFS instead of -12" in shown


@pytest.mark.parametrize("by", [pytest.param("sentence", marks=pytest.mark.slow), "word"])
def test_an_epub_to_read_along(by, tmp_path, model_file, cache_dir):
    book = made_books.epub(
        tmp_path / "sea.epub",
        {
            "one.xhtml": page("<h1>I. Water &amp; Wind</h1><p>It rained. Then a &lt; b.</p><hr/>"
                              '<p><img src="s.jpg" alt="A &quot;sea&quot;"/>Still.</p>'
                              '<p><img src="s.jpg" alt="Again"/></p>'),
            "two.xhtml": page('<h1>II. Fire</h1><div class="poem">It burned<br/>All day.</div>'),
        },
        '<li><a href="one.xhtml">Water &amp; Wind</a></li><li><a href="two.xhtml">Fire</a></li>',
        items=COVER,
        extra={"OPS/c.jpg": made_books.picture(), "OPS/s.jpg": made_books.picture()},
    )  # fmt: skip
    output = tmp_path / "out.epub"
    read_whole(book, output, cache_dir, *FAST, "--by", by)
    space = {"s": "http://www.w3.org/ns/SMIL", "h": "http://www.w3.org/1999/xhtml"}
    with zipfile.ZipFile(output) as archive:
        assert archive.infolist()[0].filename == "mimetype"
        for number in (1, 2):
            overlay = ElementTree.fromstring(archive.read(f"EPUB/chapter-{number}.smil"))
            text = ElementTree.fromstring(archive.read(f"EPUB/chapter-{number}.xhtml"))
            spans = {one.get("id"): one.text for one in text.iterfind(".//h:span", space)}
            end_s = 0.0
            for pair in overlay.iterfind(".//s:par", space):
                audio, words = pair.find("s:audio", space), pair.find("s:text", space)
                assert words.get("src", "").partition("#")[2] in spans
                start_s, last_s = (float(audio.get(name, "").rstrip("s")) for name in ("clipBegin", "clipEnd"))
                assert end_s <= start_s + 0.002 < last_s + 0.002
                end_s = last_s
            (tmp_path / "a.m4a").write_bytes(archive.read(f"EPUB/chapter-{number}.m4a"))
            assert played(tmp_path / "a.m4a").duration_s >= end_s
        said = " ".join(str(one) for one in spans.values())
        assert archive.read("EPUB/picture-1.jpg") == made_books.picture()
        first = archive.read("EPUB/chapter-1.xhtml").decode()
        assert archive.namelist().count("EPUB/picture-1.jpg") == 1
    assert '<hr/><figure><img src="picture-1.jpg" alt="A &quot;sea&quot;"/></figure><p>' in first
    assert '<figure><img src="picture-1.jpg" alt="Again"/></figure></section>' in first
    assert said == "2. Fire It burned, All day."
    assert len(spans) == (2 if by == "sentence" else 6)
    checker = shutil.which("epubcheck")  # of Debian
    if checker is None or shutil.which("java") is None:
        pytest.skip("epubcheck of Debian is not installed")
    checked = subprocess.run(["java", "-jar", checker, "--failonwarnings", str(output)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


WRONG = [
    ("-o a.wma", "must end in .m4b"), ("-o /nowhere/a.m4b", "there is no folder"), ("", "--list"),
    ("-o a.m4b --files mp3", "no folder"), ("-o a.m4b --keep notes,poems", "poems is no part"),
    ("-o a.m4b --chapters 2-9", "not from 1 to 2"), ("-o a.m4b --chapters x", "3-7,9"),
    ("-o a.m4b --timestamps lrc", "vtt, srt, json"), ("-o a.m4b --chapter-pause 61", "0 to 60"),
    ("-o a.m4b --loudness -5", "from -40 to -12 LUFS"), ("-o a.m4b --cast nowhere.toml", "nowhere.toml"),
]  # fmt: skip


def test_what_is_wrong_is_told_in_a_line(tale, monkeypatch):
    monkeypatch.chdir(tale.parent)
    misses = [
        (options, line)
        for options, told in WRONG
        if told not in (line := complaint("read", "tale.md", *options.split()))
    ]
    assert not misses
    assert sorted(path.name for path in tale.parent.iterdir()) == ["cast.toml", "tale.md"]


def test_the_list_foretells_lengths(tale):
    lines = commands.command("read", str(tale), "--list").stdout.splitlines()
    assert lines[1].split()[:2] == ["1", "0:00:10"]
    assert lines[2].endswith("Two")


def test_text_that_cannot_be_said_is_told_with_its_place_before_anything_is_made(tale, model_file, cache_dir):
    tale.write_text(TALE.replace("[voice:ann]", "[voice:bob]") + "\n\nA [word](/k@/) too.\n")
    done = read(tale, tale.with_name("a.m4b"), cache_dir, *FAST)
    assert done.returncode == 1
    assert "2 parts of the text cannot be said; nothing was made" in done.complaint
    assert "chapter 1 (One), from character 6" in done.complaint
    assert "no voice 'bob'" in done.complaint
    assert "chapter 2 (Two), from character" in done.complaint


def test_names_of_files_are_plain():
    assert file_name(3, "The / Storm: “é”?\n", 120) == "003 The Storm é"
    assert file_name(1, "...", 2) == "01"
    assert file_name(1, "हिन्दी: एक", 2) == "01 हिन्दी एक"
    assert file_name(1, "a" * 300, 2) == "01 " + "a" * 80
    assert len(file_name(1, "\U00020000" * 300, 2).encode()) < 250
