"""Who reads a book."""

import numpy as np
import pytest

from service.audio.chaptered_file import AudioChapter, write_chaptered
from service.books.casting import Cast

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
