"""The English reader: awkward words, overrides, offsets, threads, arbitrary text."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import strategies as st
from service.text.characters import clean_text
from service.text.english.reader import EnglishReader
from service.text.espeak.reader import EspeakReader
from service.text.offset_mapping import TracedText
from service.text.spans import Override
from service.text.vocabulary import load_vocabulary
from tests.profiles import given

from service.text import find_language, punctuation


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        # Apostrophes: straight, curly and typed as accents.
        ("don't", "dˈOnt"),
        ("don’t", "dˈOnt"),
        ("don`t", "dˈOnt"),
        ("donʼt", "dˈOnt"),
        ("It's five o'clock.", "ˌɪts fˈIv əklˈɑk."),
        ("rock 'n' roll", "ɹˈɑk ən ɹˈOl"),
        ("the dogs' house", "ðə dˈɔɡz hˈWs"),
        # Letters.
        ("We need a plan B now.", "wˌi nˈid ɐ plˈæn bˈi nˈW."),
        ("She had an X-ray.", "ʃˌi hæd ɐn ˈɛksɹˌA."),
        ("Vitamin A is good.", "vˈITəmən ˈA ɪz ɡˈʊd."),
        # Capitals.
        ("THE QUICK BROWN FOX JUMPS.", "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps."),
        ("THIS IS IT!", "ðɪs ɪz ɪt!"),
        ("NASA and the FBI", "nˈæsə ænd ði ˌɛfbˌiˈI"),
        ("McDonald's", "məkdˈɑnəldz"),
        # Compounds.
        ("state-of-the-art", "stˈAtʌvðiˈɑɹt"),
        ("a well-known man", "ɐ wˌɛlnˈOn mˈæn"),
        ("and/or", "ænd ɔɹ"),
        ("twenty twenty-four", "twˈɛnti twˈɛntifˌɔɹ"),
        ("A B C", "ˈA bˈi sˈi"),
        ("Once-in-a-lifetime chance.", "wˈʌnsɪnɐlˈIftˌIm ʧˈæns."),
        ("It is a five-days-a-week job.", "ˌɪt ɪz ɐ fˈIvdˈAzɐwˌik ʤˈɑb."),
        ("Vitamin-A-rich food.", "vˈITəmənˌAɹˈɪʧ fˈud."),
        ("The Z-axis gyro drifts.", "ðə zˈiˌæksɪs ʤˈIɹO dɹˈɪfts."),
        # Words that the lexicon lacks.
        ("café", "kæfˈA"),
        ("naïve", "nIˈiv"),
        ("Zürich", "zˈuɹɪk"),
        ("the Zorblax's engine", "ðə zˈɔɹblæksᵻz ˈɛnʤən"),
        ("B12", "bˈi twˈɛlv"),
        ("he is @home", "hi ɪz æt hˈOm"),
        ("x=y", "ˈɛks ˈikwᵊlz wˈI"),
        # The next word decides.
        ("the end", "ði ˈɛnd"),
        ("the start", "ðə stˈɑɹt"),
        ("the Xyzzyq", "ðə zˈIzɪk"),
        ("to end", "tʊ ˈɛnd"),
        ("I used to know", "ˌI jˈust tə nˈO"),
    ],
)
def test_words_sound_as_people_say_them(text, phonemes, read):
    assert read(text) == phonemes


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
def test_an_ending_is_voiced_as_the_given_phonemes_before_it_end(text, word, phonemes, said, readers):
    start = text.index(word)
    overrides = [Override(start, start + len(word), phonemes)]
    spans = punctuation.split(clean_text(TracedText(text)), overrides)
    fragments = readers["en-us"].read(spans)
    read = "".join(punctuation.space([fragment.phonemes for fragment in fragments], spans))
    assert read == said


@pytest.mark.parametrize(("steps", "said"), [(2, "ˈɪt ɪz"), (1, "ˌɪt ɪz"), (0, "ɪt ɪz"), (-1, "ɪt ɪz")])
def test_stress_is_shifted_where_it_is_asked_for(steps, said, readers):
    spans = punctuation.split(TracedText("it is"), [Override(0, 2, stress=steps)])
    fragments = readers["en-us"].read(spans)
    read = "".join(punctuation.space([fragment.phonemes for fragment in fragments], spans))
    assert read == said


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


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "A" * 10_000,
        "é" * 3_000,
        "-".join(["ab"] * 3_000),
        "'" * 5_000,
        "a'" * 5_000,
        "a.a." * 2_500,
        "aB" * 5_000,
        "record " * 1_500,
        "really " * 1_500 + "record",
        "THE AND " * 1_200,
        "that " * 2_000,
    ],
    ids=lambda text: f"{text[:4]}...",
)
def test_monstrous_words_are_read(text, read):
    said = read(text)
    assert bool(said) == any(character.isalpha() for character in text)


def test_eight_threads_read_as_one_does(espeak, readers, table):
    texts = [text for kind, text, _ in table("agreement.tsv") if kind.startswith("en-us")][:240]
    alone = [_phonemes(readers["en-us"], text) for text in texts]
    fresh = EnglishReader(british=False, espeak=EspeakReader(lambda: espeak, find_language("en-us")))
    barrier = threading.Barrier(8)

    def read_all(offset):
        barrier.wait()
        order = texts[offset * 30 :] + texts[: offset * 30]
        return {text: _phonemes(fresh, text) for text in order}

    with ThreadPoolExecutor(8) as pool:
        for together in pool.map(read_all, range(8)):
            assert [together[text] for text in texts] == alone


@given(text=st.text(max_size=60).filter(lambda text: "\0" not in text))
def test_any_text_is_read_in_symbols_of_the_vocabulary_or_refused(text, readers):
    from service.errors import InvalidTextError, UnknownSymbolError

    from service.text import check_text

    reader = readers["en-us"]
    try:
        check_text(text)
        cleaned = clean_text(TracedText(text))
        reader.check(cleaned)
        spans = punctuation.split(cleaned)
        fragments = reader.read(spans)
    except (InvalidTextError, UnknownSymbolError):
        return
    except Exception as error:
        if type(error).__name__ == "EmptyTextError":
            return
        raise
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
