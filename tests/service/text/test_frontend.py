import re
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import strategies as st

from service.errors import EmptyTextError, InvalidTextError, NothingToSayError
from service.text import LANGUAGES, USUAL, FrontEnd, Passage, TracedText, is_blank, load_vocabulary, mixed, punctuation
from tests.profiles import given
from tests.service.text.reading_tables import rows
from tests.service.text.whole_reading import REFUSALS, read

ESPEAK_LANGUAGES = sorted(code for code in LANGUAGES if LANGUAGES[code].espeak_voice)


def phonemes_of(front_end, text, language, *, normalized=False):
    return read(front_end, text, language, normalization=USUAL if normalized else None).phonemes


def test_sentences_are_read_by_espeak(espeak, espeak_front_end):
    if not espeak.version.startswith("1.52"):
        pytest.skip(f"expected phonemes are those of espeak-ng 1.52, this is {espeak.version}")
    misses = []
    for language, text, phonemes in rows("espeak-phonemes"):
        expected = unicodedata.normalize("NFD", phonemes).replace("c\u0327", "ç")
        if (said := phonemes_of(espeak_front_end, text, language)) != expected:
            misses.append(f"{language} {text!r}: {said!r}, not {expected!r}")
    assert not misses, "\n".join(misses)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        *(("hello", "\ufeffhel\u00adlo\u200b"), ("caf\u00e9", "cafe\u0301"), ("don't stop", "don’t  stop")),
        *(("fine! 25", "ﬁne！ ２５"), ("one. Two", "one\n\nTwo")),
    ],
)
def test_texts_that_look_the_same_sound_the_same(front_end, text, same):
    assert phonemes_of(front_end, same, "en-us") == phonemes_of(front_end, text, "en-us")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        *(("", EmptyTextError), (" \n\u200b", EmptyTextError), ("\x00\udfff\ue000", NothingToSayError)),
        *(("... — (?)", NothingToSayError), ("¿¡", NothingToSayError)),
    ],
)
def test_text_without_speech_is_refused(front_end, text, error):
    with pytest.raises(error):
        phonemes_of(front_end, text, "en-us")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a\x00b", r"U\+0000 at position 2"), ("a\udfffb", r"U\+DFFF at position 2"), ("a Ꭰ b", "CHEROKEE LETTER A"),
        ("100₽", "RUBLE SIGN"), ("x\ue000", r"U\+E000"),
    ],
)  # fmt: skip
def test_what_espeak_would_silently_skip_is_refused_if_that_is_strict(strict_front_end, text, named):
    with pytest.raises(InvalidTextError, match=named):
        phonemes_of(strict_front_end, text, "en-us")


@pytest.mark.parametrize(
    ("text", "position"), [("a Ꭰ b", 3), ("Dr. No & Ꭰ", 10), ("ありがとうᎠ", 6), ("word. " * 300 + "Ꭰ", 1801)]
)
def test_a_refusal_names_the_position(strict_front_end, text, position):
    with pytest.raises(InvalidTextError, match=f"U.13A0. at position {position} of the text"):
        phonemes_of(strict_front_end, text, "en-us", normalized=True)


@pytest.mark.parametrize("language", ESPEAK_LANGUAGES)
@pytest.mark.parametrize("text", ["Xഷ-ങ", "a X-ഷ. b", "s'" * 300])
def test_words_that_crash_espeak_as_a_whole_are_read_in_slices(front_end, text, language):
    assert phonemes_of(front_end, text, language)


def test_a_word_that_kills_espeak_is_refused_by_name_or_told_of(espeak, front_end, strict_front_end, monkeypatch):
    monkeypatch.setattr(mixed, "_foreign_to", lambda language: re.compile("(?!)"))  # Hindi's voice would not crash
    if not espeak.version.startswith("1.52"):
        pytest.skip(f"known of espeak-ng 1.52, this is {espeak.version}")
    text = "all is well, Tह-ं, is it not"
    with pytest.raises(InvalidTextError) as caught:
        phonemes_of(strict_front_end, text, "en-us")
    assert caught.value.message == "espeak-ng crashes on 'Tह-ं'"
    reading = read(front_end, text, "en-us")
    words = [text[word.text_start : word.text_end] for word in reading.words]
    assert words == ["all", "is", "well", "is", "it", "not"]
    assert [text[slice(*span)] for span in reading.dropped] == ["Tह"]


@pytest.mark.parametrize(
    ("emoji", "name"),
    [
        ("📸", "appareil photo avec flash"),
        ("🤽", "personne jouant au water-polo"),
        ("🤾", "personne jouant au handball"),
    ],
)
def test_french_emoji_with_english_names_are_read(front_end, emoji, name):
    reading = read(front_end, f"a{emoji}b", "fr", normalization=None)
    assert reading.phonemes == phonemes_of(front_end, f"a {name} b", "fr")
    assert [(word.text_start, word.text_end) for word in reading.words] == [(0, 3)]


def test_french_eighties_are_said_without_the_t_of_vingt(front_end):
    text = "Quatre-vingt-deux ou quatre-vingt-huitième"
    reading = read(front_end, text, "fr")
    assert "vˈɛ̃t" not in reading.phonemes
    assert reading.normalized == text
    words = [text[word.text_start : word.text_end] for word in reading.words]
    assert words == ["Quatre-vingt-deux", "ou", "quatre-vingt-huitième"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "word"),
    [
        *(("en-us", "tomato"), ("en-us", "b"), ("en-us", "72"), ("en-us", "😀"), ("en-gb", "$5"), ("es", "perro")),
        *(("fr", "bonjour"), ("it", "9"), ("hi", "नमस्ते")),
        *(pytest.param("en-us", word, marks=pytest.mark.thorough) for word in ("WWW", "777777")),
    ],
)
def test_a_word_said_many_times_is_heard_as_often(espeak_front_end, language, word):
    def sounds(text):
        phonemes = phonemes_of(espeak_front_end, text, language)
        return phonemes.replace(" ", "").replace("ˌ", "ˈ")

    assert sounds(f"{word} " * 1000) == sounds(word) * 1000


@pytest.mark.parametrize(
    ("text", "sound", "times"),
    [
        *(("7" * 400, "sˈɛvən", 400), ("3." + "7" * 400, "sˈɛvən", 400), ("1." * 300, "wˈʌn", 300)),
        *(("w" * 200, "ʌb", 200), ("😀" * 100, "ɡɹ", 100), ("ab" * 2500, "b", 2500)),
    ],
    ids=["number", "decimals", "chain", "letters", "emoji", "word"],
)
def test_a_word_of_any_length_is_read_whole(espeak_front_end, text, sound, times):
    assert phonemes_of(espeak_front_end, text, "en-us").count(sound) == times


def test_eight_threads_give_the_same_as_one(espeak):
    jobs = [(text, language) for language, text, _ in rows("espeak-phonemes")]
    alone = [phonemes_of(FrontEnd(espeak), *job) for job in jobs]
    shared = FrontEnd()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda job: phonemes_of(shared, *job), jobs * 3)) == alone * 3


def test_importing_and_asking_for_languages_needs_no_espeak():
    code = (
        "import ctypes, service.text as t\n"
        "ctypes.CDLL = None\n"
        "t.FrontEnd(); print(t.find_language('pt').name, t.load_vocabulary().token_ids('a'))"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.stdout == "Brazilian Portuguese [43]\n"


LIKELY = "aeiouAITbdkst 019.,:;!?'\"’‘“”«»()[]-–—…\n\tçñãéüहिंदी$€%&@#/\\+=*_<>~^|`😀🤷\u200d"
LIKELY += "ंक्षळഷങരαжაך한㉿"


@pytest.mark.parametrize("texts", [st.text(max_size=60), st.text(alphabet=LIKELY, max_size=80)], ids=["any", "likely"])
@given(data=st.data(), language=st.sampled_from(ESPEAK_LANGUAGES))
def test_any_text_is_spoken_in_the_vocabulary_or_refused(espeak_front_end, texts, data, language):
    try:
        phonemes = phonemes_of(espeak_front_end, data.draw(texts), language)
    except REFUSALS:
        return
    assert load_vocabulary().unknown(phonemes) == []
    assert load_vocabulary().is_pronounceable(phonemes)
    assert phonemes == " ".join(phonemes.split())


@given(words=st.lists(st.sampled_from(["water", "hello", "seven", "dog"]), min_size=1, max_size=8))
def test_ordinary_words_are_never_refused(espeak_front_end, words):
    assert phonemes_of(espeak_front_end, ", ".join(words), "en-us").count(",") == len(words) - 1


@pytest.mark.thorough
def test_no_symbol_of_unicode_is_lost_in_silence(front_end):
    """A sign is said, told of as dropped, or only shapes the sentence."""
    lost = []
    for character in map(chr, range(0x21, 0x1FB00)):
        if unicodedata.category(character)[0] not in "NPS" or punctuation.has_no_words(character):
            continue
        if is_blank(character):
            continue
        passage = Passage(TracedText(f"The cat {character} the dog."))
        readings = list(front_end.read(passage, "en-us"))
        spans = [(word.text_start, word.text_end) for one in readings for word in one.words]
        told = [span for one in readings for span in one.dropped]
        if not any(start <= 8 < end for start, end in [*spans, *told]):
            lost.append(character)
    assert not lost
