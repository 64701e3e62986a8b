import threading

import pytest
from hypothesis import strategies as st

from service.errors import LexiconError
from service.text.languages import LANGUAGES
from service.text.offset_mapping import TracedText, concatenate
from service.text.user_lexicon import UserLexicon
from tests.profiles import given


@pytest.fixture
def load(tmp_path):
    def from_text(text):
        file = tmp_path / "lexicon.toml"
        file.write_text(text, encoding="utf-8")
        return UserLexicon.load(file)

    return from_text


def entries(*written):
    return "entry = [\n" + "".join(f"    {{ {entry} }},\n" for entry in written) + "]\n"


def applied(lexicon, text, language="en-us"):
    """Return the text after the lexicon, with phonemes between slashes."""
    new, overrides = lexicon.apply(TracedText(text), language)
    parts, done = [], 0
    for override in overrides:
        start, end = new.within(override.start, override.end)
        parts += [new.text[done:start], f"/{override.phonemes}/"]
        done = end
    return "".join([*parts, new.text[done:]])


WORDS = entries(
    'word = "Kokoro", phonemes = "kˈOkəɹO"',
    'word = "New York", respelling = "Nyoo York"',
    'word = "York", respelling = "Jork"',
    'word = "C++", respelling = "see plus plus"',
    'word = ".NET", respelling = "dot net"',
    'word = "US", case = true, respelling = "U.S."',
    'word = "O\'Neill", respelling = "o neal"',
    'word = "café", respelling = "kaffay"',
    'word = "東京", phonemes = "tokjo"',
    'word = "नमस्ते", respelling = "नमस"',
    'word = "co-op", respelling = "coop"',
    'word = "STRASSE", respelling = "street"',
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kokoro, kokoro and KOKORO.", "/kˈOkəɹO/, /kˈOkəɹO/ and /kˈOkəɹO/."),
        ("Kokoro's Kokoro-82M (Kokoro)", "/kˈOkəɹO/'s /kˈOkəɹO/-82M (/kˈOkəɹO/)"),
        ("Kokoros, unkokoro, kokoro2, kokoro_x", "Kokoros, unkokoro, kokoro2, kokoro_x"),
        ("New York and York, new\n york", "Nyoo York and Jork, Nyoo York"),
        ("New\n\nYork", "New\n\nJork"), ("New Yorkers", "New Yorkers"),
        ("C++ and C++. C++11 C+", "see plus plus and see plus plus. C++11 C+"),
        (".NET and ASP.NET", "dot net and ASP.NET"), ("US and us", "U.S. and us"),
        ("O'Neill, o’neill", "o neal, o neal"), ("CAFÉ cafés", "kaffay cafés"),
        ("東京都は東京。", "/tokjo/都は/tokjo/。"),
        ("Kokoroは", "/kˈOkəɹO/は"), ("नमस्ते नमस्तेे", "नमस नमस्तेे"), ("co-op co op", "coop co op"),
        ("straße", "street"), ("", ""),
    ],
)  # fmt: skip
def test_whole_words_are_said_as_the_lexicon_has_them(load, text, expected):
    assert applied(load(WORDS), text) == expected


def test_rewritten_text_has_the_span_of_the_word(load):
    text, overrides = load(WORDS).apply(TracedText("To New York by Kokoro."), "en-us")
    assert text.text == "To Nyoo York by Kokoro."
    assert text[3:12].span == (3, 11)
    assert [(o.start, o.end, o.phonemes) for o in overrides] == [(15, 21, "kˈOkəɹO")]


def test_words_with_overrides_are_left_alone(load):
    text = TracedText("Kokoro York Kokoro York")[7:]
    new, overrides = load(WORDS).apply(text, "en-us", [(7, 11), (14, 16)])
    assert new.text == "York Kokoro Jork"
    assert overrides == ()


def test_a_word_of_an_alias_is_respelled_and_has_no_phonemes_of_its_own(load):
    alias = TracedText("TTS now")[:3].rewritten("Kokoro of York")
    text, overrides = load(WORDS).apply(concatenate([alias]), "en-us")
    assert text.text == "Kokoro of Jork"
    assert overrides == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GPT-4o, gpt-4o GPT-4oz", "GPT 4 oh, GPT 4 oh GPT-4oz"),
        ("5 MB 5 mb", "5 megabytes 5 mb"),
        ("run #12 #x", "run number 12 #x"),
        ("xkcd", "/ˈɛks/"),
    ],
)
def test_patterns_are_searched(load, text, expected):
    lexicon = load(
        entries(
            r"pattern = 'GPT-(\d)o\b', respelling = 'GPT \1 oh'",
            r"pattern = '(?<=\d )MB\b', respelling = 'megabytes', case = true",
            r"pattern = '#(?P<number>\d+)', respelling = 'number \g<number>'",
            r"pattern = '[x]k\w{2}', phonemes = 'ˈɛks'",
        )
    )
    assert applied(lexicon, text) == expected


def test_one_entry_changes_what_no_other_has(load):
    lexicon = load(
        entries(
            "pattern = 'a b', respelling = 'b c'",
            "pattern = '[bc]', respelling = 'd'",
            "word = 'c', respelling = 'a b'",
        )
    )
    assert applied(lexicon, "a b, b, c.") == "b c, d, a b."


def test_a_template_that_leaves_nothing_changes_nothing(load):
    assert applied(load(entries(r"pattern = '(x)?y', respelling = '\1'")), "xy y") == "x y"


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en-gb", "British"), ("en-us", "English"), ("es", "any"), ("fr", "French"), ("pt-br", "pt")],
)
def test_the_language_named_most_exactly_counts(load, language, expected):
    lexicon = load(
        entries(
            'word = "x", respelling = "any"',
            'word = "x", respelling = "English", language = "en"',
            'word = "x", respelling = "British", language = "en_GB"',
            'word = "x", respelling = "French", language = "FR"',
            'word = "x", respelling = "pt", language = "pt"',
        )
    )
    assert applied(lexicon, "x", language) == expected


def test_the_spelling_that_counts_goes_before_any(load):
    lexicon = load(entries('word = "it", respelling = "any"', 'word = "IT", respelling = "I.T.", case = true'))
    assert applied(lexicon, "IT it It") == "I.T. any any"


def test_tables_of_their_own_are_entries(load):
    lexicon = load('[[entry]]\nword = "a"\nrespelling = "b"\n[[entry]]\nword="c"\nphonemes="kˈæt"')
    assert applied(lexicon, "a c") == "b /kˈæt/"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "entry = []\n"])
def test_a_lexicon_may_be_empty(load, text):
    assert applied(load(text), "Kokoro") == "Kokoro"
    assert applied(UserLexicon(), "Kokoro") == "Kokoro"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("entry = ", "Invalid value"),
        ("word = 'a'", r"unknown word: only \[\[entry\]\] is allowed"),
        ("entry = 1", "entry is not an array of tables"),
        ("entry = ['a']", "entry is not an array of tables"),
        (entries("word = 'ok', respelling = 'a'", "word = 'b'"), r"entry 2 \('b'\): it must have either phonemes"),
        (entries("word = 'a', respelling = 'a', phonemes = 'a'"), "either phonemes or respelling"),
        (entries("respelling = 'a'"), "entry 1: it must have either word or pattern"),
        (entries("word = 'a', pattern = 'a', respelling = 'a'"), "either word or pattern"),
        (entries("word = 'a', spelling = 'a'"), "unknown key 'spelling'; known: word"),
        (entries("word = 'a', phonemes = 'k@t'"), r"'@' \(U\+0040\) is not a phoneme"),
        (entries("word = 'a', phonemes = 'ˈ'"), "make no sound"),
        (entries("word = ' ', phonemes = 'a'"), "word is empty"),
        (entries("word = '\u200b', phonemes = 'a'"), "word is empty"),
        (entries("word = 'a', respelling = ''"), "respelling is empty"),
        (entries("word = 1, respelling = 'a'"), "word must be a string"),
        (entries("word = 'a', respelling = 'a', case = 1"), "case must be true or false"),
        (entries("word = 'a', respelling = 'a', language = 'tlh'"), "unknown language 'tlh'"),
        (entries("word = 'a', respelling = 'a', language = 'e'"), "unknown language 'e'"),
        (entries("word = 'a', respelling = 'a'", "word = 'A', respelling = 'b'"), "entry 2 .*same"),
        (entries("pattern = '(', respelling = 'a'"), r"entry 1 \('\('\): bad pattern: missing"),
        (entries(r"pattern = '(a)', respelling = '\2'"), "bad pattern: invalid group reference"),
        (entries("pattern = 'a*', respelling = 'b'"), "matches the empty text"),
        (entries(r"pattern = '\b', respelling = 'b'"), "matches the empty text"),
        (entries("pattern = '(a+)+b', respelling = 'b'"), "may take exponential time"),
        (entries("pattern = '(a{1,99}){1,9}b', respelling = 'b'"), "may take exponential time"),
        (entries("pattern = '.*a.*b', respelling = 'b'"), "grows with the cube of the text's length"),
        (entries("pattern = '((((((a){9}){9}){9}){9}){9}){9}', respelling = 'b'"), "more than 10000"),
    ],
)
def test_what_cannot_be_used_is_named(load, tmp_path, text, reason):
    with pytest.raises(LexiconError, match=reason) as caught:
        load(text)
    assert str(caught.value).startswith(f"{tmp_path / 'lexicon.toml'}: ")
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(LexiconError, match=r"absent.toml: No such file"):
        UserLexicon.load(tmp_path / "absent.toml")
    file = tmp_path / "latin.toml"
    file.write_bytes(b"# caf\xe9\n")
    with pytest.raises(LexiconError, match=r"latin.toml: 'utf-8' codec"):
        UserLexicon.load(file)


def test_the_lexicon_that_comes_with_the_service_says_its_words(repository):
    lexicon = UserLexicon.load(repository / "config/lexicon.toml")
    assert applied(lexicon, "Kokoro with ONNX.") == "/kˈOkəɹO/ with /ˈɑnɪks/."
    assert applied(lexicon, "Kokoro with ONNX.", "en-gb") == "/kˈQkəɹQ/ with /ˈɒnɪks/."
    assert applied(lexicon, "FastAPI, TensorRT", "en-gb") == "Fast API, Tensor RT"
    assert applied(lexicon, "Kokoro", "es") == "Kokoro"


def test_a_lexicon_may_have_thousands_of_words(load):
    many = load(entries(*(f'word = "word{n} x", respelling = "w{n}"' for n in range(5_000))))
    assert applied(many, "word7 x word8 y word4999 X") == "w7 word8 y w4999"


def test_threads_share_a_lexicon(load):
    lexicon = load(WORDS)
    text = "Kokoro in New York. " * 20
    results = []
    threads = [threading.Thread(target=lambda: results.append(applied(lexicon, text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["/kˈOkəɹO/ in Nyoo York. " * 20] * 4


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    file = tmp_path_factory.mktemp("lexicon") / "words.toml"
    file.write_text(WORDS, encoding="utf-8")
    return UserLexicon.load(file)


SNIPPETS = st.sampled_from(["Kokoro", "new", "York", " ", "\n", "C++", "東京", "US", "'", ".NET", "é"])


@given(
    st.lists(st.one_of(SNIPPETS, st.text(max_size=3)), max_size=15).map("".join),
    st.sampled_from(sorted(LANGUAGES)),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), max_size=2),
)
def test_any_text_keeps_its_offset_mapping(words, text, language, spans):
    fixed = [(start, start + length) for start, length in spans]
    new, overrides = words.apply(TracedText(text), language, fixed)
    end = 0
    for override in overrides:
        assert end <= override.start < override.end <= len(text)
        assert text[override.start : override.end].casefold() in ("kokoro", "東京")
        end = override.end
    starts = [new[index : index + 1].span[0] for index in range(len(new))]
    assert starts == sorted(starts)
