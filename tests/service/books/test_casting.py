"""Who reads a book."""

import re

import numpy as np
import pytest

from service.audio.chaptered_file import AudioChapter, write_chaptered
from service.books.book import Chapter, Paragraph
from service.books.casting import Cast
from service.books.quotes import with_quotes
from service.errors import InvalidRequestError
from service.text import without_voice_tags

WANTED = {
    "fr": "ff_siwis", "fr-CA": "ff_siwis", "fra": "ff_siwis", "it": "if_sara", "es-MX": "ef_dora", "pt-BR": "pf_dora",
    "hi": "hf_alpha",
}  # fmt: skip


@pytest.mark.parametrize(("tag", "voice"), WANTED.items())
def test_a_book_is_read_by_a_voice_of_its_language_unless_one_is_chosen(tag, voice):
    cast, told = Cast(speakers={"ann": "bf_emma"}).for_book(tag, "af_heart")
    assert (cast.narrator, cast.speakers) == (voice, {"ann": "bf_emma"})
    assert told.endswith(f": {voice} reads it")
    chosen = Cast(narrator="bm_lewis(2)+am_adam(1)")
    cast, told = chosen.for_book(tag, "af_heart")
    assert cast == chosen
    assert "speaks British English" in told
    assert voice in told


@pytest.mark.parametrize("tag", ["en", "en-GB", "EN_us", "eng", None, "", "und", "xx", "nonsense of all kinds"])
def test_nothing_changes_for_english_and_for_what_nobody_speaks(tag):
    for cast in (Cast(), Cast(narrator="bf_emma")):
        assert cast.for_book(tag, "af_heart") == (cast, "")


@pytest.mark.parametrize(
    ("tag", "code"),
    [("fr", "fra"), ("pt-BR", "por"), ("ger", "deu"), ("zh_Hans", "zho"), ("xx", "und"), ("haw", "haw")],
)
def test_players_get_languages_as_their_formats_have_them(tag, code, tmp_path):
    av = pytest.importorskip("av", reason="needs the extra books")
    for suffix, wanted in (("m4b", code), ("mp3", code), ("opus", tag), ("flac", tag)):
        path = tmp_path / f"a.{suffix}"
        write_chaptered(
            path, suffix, [np.zeros(12_000, np.float32)], [AudioChapter("One", 0, 12_000)], {"language": tag}
        )
        with av.open(str(path)) as file:
            found = {**file.streams[0].metadata, **file.metadata}
        assert found["language"] == wanted, suffix


SAID = [
    ("“Yes,” she said. “I will.”", ["“Yes,”", "“I will.”"]), ('"Yes," she said.', ['"Yes,"']),
    ("‘Don’t go,’ he said, ‘it’s late.’", ["‘Don’t go,’", "‘it’s late.’"]), ("„Ja“, sagte sie.", ["„Ja“"]),
    ("»Ja«, sagte sie.", ["»Ja«"]), ("« Oui », dit-elle.", ["« Oui »"]),
    ("「はい」と言った。「行こう。」", ["「行こう。」"]),
    ("The so-called “friend” of hers left.", []), ("He read “The Sea” at noon.", []),
    ("It was the ’90s, and rock ’n’ roll.", []),
    ("“He said ‘no’ to me,” she said.", ["“He said ‘no’ to me,”"]), ("A 5\" pipe and a 6\" pipe.", []),
    ("He never closed “it and went", []), ("She asked: “Who?”", ["“Who?”"]),
    ("[voice:ann]“Yes,”[/voice] she said.", []),
]  # fmt: skip


def quoted(*texts):
    chapter = Chapter("One", tuple(map(Paragraph, texts)))
    changed = with_quotes(chapter, "bf_emma")
    for before, after in zip(texts, changed.paragraphs, strict=True):
        if "[voice:ann]" not in before:
            assert without_voice_tags(after.text) == before
    return [re.findall(r"\[voice:bf_emma\](.*?)\[/voice\]", one.text) for one in changed.paragraphs]


def test_what_people_say_gets_the_second_voice():
    assert [one for one in SAID if quoted(one[0]) != [one[1]]] == []


def test_a_speech_over_paragraphs_opens_in_each_and_closes_in_the_last():
    texts = ("He said: “It rained.", "“It rained all night.", "“Then it stopped.” He left.", "“Good.”")
    assert quoted(*texts) == [["“It rained."], ["“It rained all night."], ["“Then it stopped.”"], ["“Good.”"]]


def test_a_cast_file_may_name_the_second_voice(tmp_path):
    path = tmp_path / "cast.toml"
    path.write_text('narrator = "af_heart"\nquotes = "bf_emma"\n')
    cast = Cast.load(path)
    assert (cast.narrator, cast.quotes, cast.voices) == ("af_heart", "bf_emma", ["af_heart", "bf_emma"])
    path.write_text("quotes = 5\n")
    with pytest.raises(InvalidRequestError, match="quotes must be a voice"):
        Cast.load(path)
