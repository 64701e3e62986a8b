"""The English reader: awkward words, overrides, offsets, threads, arbitrary text."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import strategies as st

from service.errors import EmptyTextError, InvalidTextError, UnknownSymbolError
from service.text import check_text, find_language, punctuation
from service.text.characters import clean_text
from service.text.espeak.reader import EspeakReader
from service.text.languages.english.reader import EnglishReader
from service.text.offset_mapping import TracedText
from service.text.spans import Override
from service.text.vocabulary import load_vocabulary
from tests.profiles import given
from tests.service.text.reading_tables import rows


def test_words_sound_as_people_say_them(read):
    misses = []
    for _, language, text, phonemes in rows("sounds-en"):
        if (said := read(text, language)) != phonemes:
            misses.append(f"{language} {text!r}: {said!r}, not {phonemes!r}")
    assert not misses, "\n".join(misses)


@pytest.mark.parametrize(
    ("text", "word", "phonemes", "said"),
    [
        ("Ask Bort's dog.", "Bort", "bˈɔɹt", "ˈæsk bˈɔɹts dˈɔɡ."),
        ("Ask Kokoro's dog.", "Kokoro", "kˈOkəɹO", "ˈæsk kˈOkəɹOz dˈɔɡ."),
        ("Ask Lush's dog.", "Lush", "lˈʌʃ", "ˈæsk lˈʌʃᵻz dˈɔɡ."),
        ("Bort'll know.", "Bort", "bˈɔɹt", "bˈɔɹtəl nˈO."),
        ("Kokoro'll know.", "Kokoro", "kˈOkəɹO", "kˈOkəɹOl nˈO."),
        ("lead, read", "lead", "lˈɛd", "lˈɛd, ɹˈid"),
    ],
)
def test_an_ending_is_voiced_as_the_given_phonemes_before_it_end(text, word, phonemes, said, read):
    start = text.index(word)
    assert read(text, overrides=[Override(start, start + len(word), phonemes)]) == said


def test_a_british_ending_is_voiced_in_the_british_way(read):
    assert read("Lush's dog.", "en-gb", [Override(0, 4, "lˈʌʃ")]).startswith("lˈʌʃɪz")


@pytest.mark.parametrize(("steps", "said"), [(2, "ˈɪt ɪz"), (1, "ˌɪt ɪz"), (0, "ɪt ɪz"), (-1, "ɪt ɪz")])
def test_stress_is_shifted_where_it_is_asked_for(steps, said, read):
    assert read("it is", overrides=[Override(0, 2, stress=steps)]) == said


def test_every_word_has_its_span_in_the_text(readers):
    text = 'He said: "The state-of-the-art café, and/or Bort’s B12 — THE END."'
    spans = punctuation.split(clean_text(TracedText(text)))
    heard = []
    for fragment, span in zip(readers["en-us"].read(spans), spans, strict=True):
        end = 0
        for word in fragment.words:
            assert end <= word.phonemes_start <= word.phonemes_end <= len(fragment.phonemes)
            end = word.phonemes_end
            if not span.is_mark:
                heard.append(text[word.text_start : word.text_end])
    assert heard == ["He", "said", "The", "state-of-the-art", "café", "and/or", "Bort’s", "B12", "THE", "END"]


def test_a_word_is_never_silent(read):
    for text in ("#tag", "~tilde", "§x", "*star*", "_under_", "\\back", "a|b", "<b>", "'"):
        said = read(text)
        assert said or not any(character.isalnum() for character in text), text


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("piece", "times"),
    [
        *[("a", 10_000), ("A", 10_000), ("é", 3_000), ("ab-", 3_000), ("'", 5_000), ("a'", 5_000), ("a.a.", 2_500)],
        *[("aB", 5_000), ("record ", 1_500), ("really ", 1_500), ("THE AND ", 1_200), ("that ", 2_000)],
    ],
)
def test_monstrous_words_are_read(piece, times, read):
    assert bool(read(piece * times)) == piece.lower().islower()


def test_eight_threads_read_as_one_does(espeak, readers):
    texts = [text for kind, text, _ in rows("agreement") if kind.startswith("en-us")][:240]
    alone = [_phonemes(readers["en-us"], text) for text in texts]
    fresh = EnglishReader(british=False, espeak=EspeakReader(lambda: espeak, find_language("en-us")))
    barrier = threading.Barrier(8)

    def read_all(offset):
        barrier.wait()
        return {text: _phonemes(fresh, text) for text in texts[offset * 30 :] + texts[: offset * 30]}

    with ThreadPoolExecutor(8) as pool:
        for together in pool.map(read_all, range(8)):
            assert [together[text] for text in texts] == alone


@given(text=st.text(max_size=60).filter(lambda text: "\0" not in text))
def test_any_text_is_read_in_symbols_of_the_vocabulary_or_refused(text, readers):
    reader = readers["en-us"]
    try:
        check_text(text)
        cleaned = clean_text(TracedText(text))
        reader.check(cleaned)
        spans = punctuation.split(cleaned)
        fragments = reader.read(spans)
    except (EmptyTextError, InvalidTextError, UnknownSymbolError):
        return
    assert len(fragments) == len(spans)
    for fragment in fragments:
        if fragment.phonemes:
            assert load_vocabulary().token_ids(fragment.phonemes)
        for word in fragment.words:
            assert 0 <= word.text_start < word.text_end <= len(text)


WORDS = ["the", "read", "that", "live", "-", "'s", "don't", "ABC", "record", "a", "B", "x1", "é"]
MARKS = [" ", " ", " ", ", ", "-", "/", "'", '"', ". ", "_", "&"]


@given(
    pairs=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(MARKS)), max_size=15),
    language=st.sampled_from(["en-us", "en-gb"]),
)
def test_any_mixture_of_words_and_marks_is_read(pairs, language, read):
    text = "".join(word + mark for word, mark in pairs).strip()
    said = read(text, language)
    assert said == read(text, language)
    assert bool(said) or not any(character.isalnum() for character in text)


def _phonemes(reader, text):
    spans = punctuation.split(clean_text(TracedText(text)))
    return " ".join(fragment.phonemes for fragment in reader.read(spans))
