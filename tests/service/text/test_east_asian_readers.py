"""Japanese and Mandarin Chinese as their voices have learned them."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import strategies as st

from service.errors import InvalidTextError
from service.text import Passage, load_vocabulary
from service.text.characters import clean_text
from service.text.languages.japanese import kana
from service.text.languages.japanese.analyzer import MAX_CHARACTERS
from service.text.languages.mandarin import syllables
from service.text.languages.mandarin.segmenter import Frequencies
from service.text.normalization import normalize
from service.text.offset_mapping import TracedText
from service.text.punctuation import space, split
from service.text.readers import Readers
from service.text.spans import Override
from tests.profiles import given
from tests.service.text.reading_tables import rows

# Sudachi, which pyopenjtalk uses for characters that its dictionary lacks.
pytestmark = pytest.mark.filterwarnings(r"ignore:Dictionary\.create\(\) is deprecated:DeprecationWarning")

LANGUAGES = ("ja", "zh")
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def readers():
    return Readers()


@pytest.fixture
def reader_of(readers):
    def get(language):
        if not readers.is_available(language):
            pytest.skip(f"needs {readers.requirement(language)}")
        return readers.get(language)

    return get


@pytest.fixture
def japanese(reader_of):
    return reader_of("ja")


@pytest.fixture
def chinese(reader_of):
    return reader_of("zh")


def spans_of(text, *overrides):
    return split(clean_text(TracedText(text)), overrides)


def read(reader, text):
    spans = spans_of(text)
    return "".join(space([fragment.phonemes for fragment in reader.read(spans)], spans))


def words_of(reader, text):
    return [
        (text[word.text_start : word.text_end], fragment.phonemes[word.phonemes_start : word.phonemes_end])
        for fragment in reader.read(spans_of(text))
        for word in fragment.words
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_sound_as_the_voices_have_learned_them(reader_of, language):
    reader, misses = reader_of(language), []
    for text, phonemes in rows(f"{language}-phonemes"):
        written = normalize(clean_text(TracedText(text)), "zh").text if language == "zh" else text
        if (said := read(reader, written)) != phonemes:
            misses.append(f"{text}: {said}, not {phonemes}")
    assert not misses, "\n".join(misses)


def test_syllables_have_the_phonemes_of_the_notation():
    phonemes_of = {"ja": kana.phonemes_of, "zh": syllables.phonemes}
    misses = []
    for language, syllable, phonemes in rows("syllables"):
        if (said := phonemes_of[language](syllable)) != (None if phonemes == "none" else phonemes):
            misses.append(f"{syllable}: {said}, not {phonemes}")
    assert not misses, "\n".join(misses)


@given(st.text(st.characters(min_codepoint=0x30A1, max_codepoint=0x30FF)))
def test_any_katakana_have_only_symbols_of_the_vocabulary(text):
    assert load_vocabulary().unknown(kana.phonemes_of(text)) == []


@pytest.mark.parametrize(
    ("language", "text", "number"),
    [
        *(("ja", "한국에서", "U+D55C"), ("ja", "東京と안녕", "U+C548"), ("ja", "Привет", "U+041F")),
        *(("ja", "値段は€5", "U+20AC"), ("zh", "你好안녕", "U+C548"), ("zh", "Привет", "U+041F")),
        *(("zh", "ひらがな", "U+3072"), ("zh", "价格€", "U+20AC")),
    ],
)
def test_letters_that_a_language_does_not_read_are_refused(reader_of, language, text, number):
    with pytest.raises(InvalidTextError, match=re.escape(number)):
        reader_of(language).check(TracedText(text))


def test_everyday_texts_are_not_refused(reader_of):
    reader_of("ja").check(TracedText("東京タワーは333mで、α波と『々』や〆切、ーー、Ａ４の紙とTシャツ♪☆→"))
    reader_of("zh").check(TracedText("你好,世界!繁體字、〇和嗯——列夫·托尔斯泰☆→2024"))


def test_a_character_without_a_known_reading_is_silent_or_refused(chinese):
    (fragment,) = chinese.read(spans_of("你好𠮷"))
    assert fragment == chinese.read(spans_of("你好"))[0]
    with pytest.raises(InvalidTextError, match=re.escape("U+20BB7")):
        Readers(strict=True).get("zh").read(spans_of("你好𠮷"))


def test_each_word_has_its_own_span(reader_of):
    assert words_of(reader_of("ja"), "昨日、東京へ行きました。") == [
        *(("昨日", "kʲinoː"), ("東京", "toːkʲoː"), ("へ", "e"), ("行きました", "ikʲimaɕita"))
    ]
    words = words_of(reader_of("zh"), "我在北京大学, 很好。")
    assert [text for text, _ in words] == ["我", "在", "北京大学", "很", "好"]
    assert all(phonemes for _, phonemes in words)


def test_a_number_is_one_span_however_many_words_it_has(japanese):
    assert {text for text, _ in words_of(japanese, "2024年に。")} == {"2024", "2024年", "に"}


def test_remaining_chinese_digits_are_read_one_by_one(chinese):
    assert read(chinese, "12") == read(chinese, "一二")


def test_words_whose_phonemes_are_given_are_the_context_of_the_others(reader_of):
    for language, text, override, said in (
        ("ja", "東京は遠い", Override(0, 2, phonemes="toːkʲoː"), ["toːkʲoː", "βa toːi"]),
        ("ja", "東京都庁", Override(0, 1, phonemes="a"), ["a", "kʲoːtoʨoː"]),
        ("ja", "猫だ", Override(0, 1, stress=2), ["nˈeko", "da"]),
        ("zh", "我爱北京", Override(2, 4, phonemes="pei↓"), ["wo↓ ai↘", "pei↓"]),
    ):
        assert [fragment.phonemes for fragment in reader_of(language).read(spans_of(text, override))] == said


def test_long_japanese_without_a_mark_is_read_whole(japanese):
    text = "猫" * (2 * MAX_CHARACTERS + 7)
    assert read(japanese, text).replace(" ", "").count("ne") == len(text)


def test_japanese_knows_the_words_that_it_has_borrowed(japanese):
    words = ("T", "NHK", "iPhone", "Wi-Fi", "Kokoro")
    assert [word for word in words if japanese.knows(word)] == [*words[:-1]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_threads_read_alike(reader_of, language):
    reader = reader_of(language)
    texts = [text for text, _ in rows(f"{language}-phonemes")] * 4
    alone = [read(reader, text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: read(reader, text), texts)) == alone


HAN = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
KANA = st.characters(min_codepoint=0x3041, max_codepoint=0x30FF)


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.text(st.one_of(KANA, HAN, st.sampled_from("0123456789 、。「」…abcXYZ%.,-ー々〜的得地长只")), max_size=40))
def test_any_text_is_read_in_order_or_refused(reader_of, language, text):
    reader, spans = reader_of(language), spans_of(text)
    try:
        if language == "ja":
            reader.check(clean_text(TracedText(text)))
        fragments = reader.read(spans)
    except InvalidTextError:
        return
    done = 0
    for span, fragment in zip(spans, fragments, strict=True):
        assert load_vocabulary().unknown(fragment.phonemes) == []
        for word in fragment.words:
            assert span.text.span[0] <= word.text_start < word.text_end <= span.text.span[1]
            assert done <= word.text_start
            assert language == "zh" or fragment.phonemes[word.phonemes_start : word.phonemes_end].strip()
            done = word.text_start


def test_text_that_open_jtalk_cannot_place_is_read_in_parts(japanese):
    words = [word for fragment in japanese.read(spans_of("鯊ヂは靗5キ.噍磭々4￥すもえユ")) for word in fragment.words]
    assert [word.text_start for word in words] == sorted(word.text_start for word in words)
    assert words


def test_frequencies_tell_words_from_starts_of_words():
    frequencies = Frequencies(["北京 34 ns", "北京大学 5 nt", "学 7"])
    assert frequencies.total == 46
    assert [frequencies.get(word) for word in ("北京", "北京大", "北", "京")] == [34, 0, 0, None]
    assert "北京大学生" not in frequencies
    with pytest.raises(KeyError):
        frequencies["大"]


SIGNS = (
    *("ー" * 600, "猫、ー" * 200, "「ー」々ー" * 100, "ーゝー！？ー" * 100, "ヶー々々ーαゝー " * 50),
    "᭸キ⧰⳾ⱎ⺍レン⸺ˇ" * 20,
)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (
            "import os, sys, tempfile\n"
            "tempfile.tempdir = sys.argv[1]\n"
            "from service.text.offset_mapping import TracedText\n"
            "from service.text.readers import Readers\n"
            "readers = Readers()\n"
            "assert all(map(readers.is_available, ('ja', 'zh')))\n"
            "assert {'jieba', 'pyopenjtalk'}.isdisjoint(sys.modules)\n"
            "for language in ('ja', 'zh'): readers.get(language).check(TracedText('猫'))\n"
            "readers.get('ja').check(TracedText('吾輩は猫である。名前は忘れた'))\n"
            "assert {'onnxruntime', 'sudachidict_core'}.isdisjoint(sys.modules)\n"
            "assert os.listdir(sys.argv[1]) == []\n",
            (),
        ),
        (
            "import sys\n"
            "from service.text import FrontEnd, Passage, TracedText\n"
            "front_end = FrontEnd()\n"
            "for text in sys.argv[2:]:\n"
            "    for reading in front_end.read(Passage(TracedText(text)), 'ja'): pass\n",
            SIGNS,
        ),
    ],
    ids=["loading", "signs without a sound"],
)
def test_readers_load_no_second_onnx_runtime_leave_no_file_and_print_nothing(
    tmp_path, japanese, chinese, code, arguments
):
    command = [sys.executable, "-c", code, str(tmp_path), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_lengthening_marks_are_said_where_they_lengthen(front_end, japanese):
    for text in ("えー", "猫ー", "えーーっ", "時々ー", "ラーメン"):
        (reading,) = front_end.read(Passage(TracedText(text)), "ja")
        assert "ː" in reading.phonemes, text
