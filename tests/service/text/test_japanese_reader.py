from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import strategies as st
from service.errors import InvalidTextError
from service.text.characters import clean_text
from service.text.japanese.analyzer import MAX_CHARACTERS, is_installed
from service.text.japanese.kana import phonemes_of
from service.text.japanese.reader import JapaneseReader
from service.text.offset_mapping import TracedText
from service.text.punctuation import space, split
from service.text.spans import Override
from tests.profiles import given

from service.text import Passage, load_vocabulary

pytestmark = [
    pytest.mark.skipif(not is_installed(), reason="needs the extra ja: pip install 'kokoro-service[ja]'"),
    # Sudachi, which pyopenjtalk uses for characters that its dictionary lacks.
    pytest.mark.filterwarnings(r"ignore:Dictionary\.create\(\) is deprecated:DeprecationWarning"),
]

GOLDEN = Path(__file__).parents[2] / "data" / "reading" / "ja-phonemes.tsv"
CASES = [
    line.split("\t") for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
]


@pytest.fixture(scope="module")
def reader():
    return JapaneseReader()


def spans_of(text, *overrides):
    return split(clean_text(TracedText(text)), overrides)


def read(reader, text, *overrides):
    spans = spans_of(text, *overrides)
    fragments = reader.read(spans)
    return "".join(space([fragment.phonemes for fragment in fragments], spans))


def words_of(reader, text):
    return [
        (text[word.text_start : word.text_end], fragment.phonemes[word.phonemes_start : word.phonemes_end])
        for fragment in reader.read(spans_of(text))
        for word in fragment.words
    ]


@pytest.mark.parametrize(("text", "phonemes"), CASES)
def test_japanese_sounds_as_the_voices_have_learned_it(reader, text, phonemes):
    assert read(reader, text) == phonemes


@pytest.mark.parametrize(
    ("kana", "phonemes"),
    [
        ("キョー", "kʲoː"),
        ("シンブン", "ɕimbɯɴ"),
        ("ホンヤ", "hoɴja"),
        ("アンナイ", "annai"),
        ("ゲンキ", "ɡeŋkʲi"),
        ("ニンニク", "ɲiɲɲikɯ"),
        ("ガッコー", "ɡaʔkoː"),
        ("ファイル", "ɸaiɾɯ"),
        ("フィルム", "ɸʲiɾɯmɯ"),
        ("ティー", "tʲiː"),
        ("トゥデイ", "tɯdei"),
        ("デュエット", "dʲɨeʔto"),
        ("ウィキ", "βikʲi"),
        ("クァルテット", "kᵝaɾɯteʔto"),
        ("ツァーリ", "ʦaːɾʲi"),
        ("イェス", "jesɨ"),
        ("ヴァン", "baɴ"),
        ("ーア", "a"),
        ("ン", "ɴ"),
        ("", ""),
        ("abc、", ""),
    ],
)
def test_kana_have_the_phonemes_of_the_notation(kana, phonemes):
    assert phonemes_of(kana) == phonemes


@given(st.text(st.characters(min_codepoint=0x30A1, max_codepoint=0x30FF)))
def test_any_katakana_have_only_symbols_of_the_vocabulary(kana):
    assert load_vocabulary().unknown(phonemes_of(kana)) == []


@pytest.mark.parametrize(
    ("text", "number"), [("한국에서", "U+D55C"), ("東京と안녕", "U+C548"), ("Привет", "U+041F"), ("値段は€5", "U+20AC")]
)
def test_letters_that_are_not_read_in_japanese_are_refused(reader, text, number):
    with pytest.raises(InvalidTextError, match=re.escape(number)):
        reader.check(TracedText(text))


def test_everyday_japanese_is_not_refused(reader):
    reader.check(TracedText("東京タワーは333mで、α波と『々』や〆切、ーー、Ａ４の紙とTシャツ♪☆→"))


def test_each_word_has_its_own_span(reader):
    assert words_of(reader, "昨日、東京へ行きました。") == [
        ("昨日", "kʲinoː"),
        ("東京", "toːkʲoː"),
        ("へ", "e"),
        ("行きました", "ikʲimaɕita"),
    ]


def test_a_number_is_one_span_however_many_words_it_has(reader):
    said = words_of(reader, "2024年に。")
    assert {text for text, _ in said} == {"2024", "2024年", "に"}


@pytest.mark.parametrize(
    ("text", "said"), [("1,000円", "seɴeɴ"), ("1日", "iʨiɲiʨi"), ("20歳", "ɲiʥɨʔsai"), ("3.5万", "santeɴɡomaɴ")]
)
def test_digits_are_read_with_their_counters(reader, text, said):
    assert read(reader, text).replace(" ", "") == said


def test_words_whose_phonemes_are_given_are_the_context_of_the_others(reader):
    spans = spans_of("東京は遠い", Override(0, 2, phonemes="toːkʲoː"))
    assert [fragment.phonemes for fragment in reader.read(spans)] == ["toːkʲoː", "βa toːi"]


def test_a_word_of_the_dictionary_may_be_cut_by_given_phonemes(reader):
    spans = spans_of("東京都庁", Override(0, 1, phonemes="a"))
    first, second = reader.read(spans)
    assert first.phonemes == "a"
    assert second.phonemes.endswith("toʨoː")


def test_stress_can_be_shifted(reader):
    spans = spans_of("猫だ", Override(0, 1, stress=2))
    assert reader.read(spans)[0].phonemes == "nˈeko"


def test_long_japanese_without_a_mark_is_read_whole(reader):
    text = "猫" * (2 * MAX_CHARACTERS + 7)
    assert read(reader, text).replace(" ", "").count("ne") == len(text)


@pytest.mark.parametrize(
    ("word", "is_known"), [("T", True), ("NHK", True), ("iPhone", True), ("Wi-Fi", True), ("Kokoro", False)]
)
def test_japanese_knows_the_words_that_it_has_borrowed(reader, word, is_known):
    assert reader.knows(word) is is_known


def test_threads_read_japanese_alike(reader):
    texts = [text for text, _ in CASES] * 4
    alone = [read(reader, text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: read(reader, text), texts)) == alone


@given(
    st.text(
        st.one_of(
            st.characters(min_codepoint=0x3041, max_codepoint=0x30FF),
            st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
            st.sampled_from("0123456789 、。「」…abcXYZ%.,-ー々〜"),
        ),
        max_size=40,
    )
)
def test_any_japanese_is_read_in_order_or_refused(text):
    reader = _shared()
    spans = spans_of(text)
    try:
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
            assert fragment.phonemes[word.phonemes_start : word.phonemes_end].strip()
            done = word.text_start


_READERS: list[JapaneseReader] = []


def _shared():
    if not _READERS:
        _READERS.append(JapaneseReader())
    return _READERS[0]


def test_japanese_loads_no_second_onnx_runtime_and_prints_nothing():
    code = (
        "import sys\n"
        "from service.text.japanese.analyzer import is_installed\n"
        "assert is_installed() and 'pyopenjtalk' not in sys.modules\n"
        "from service.text.japanese.reader import JapaneseReader\n"
        "from service.text.offset_mapping import TracedText\n"
        "JapaneseReader().check(TracedText('吾輩は猫である。名前は忘れた'))\n"
        "assert 'onnxruntime' not in sys.modules\n"
        "assert 'sudachidict_core' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_text_that_open_jtalk_cannot_place_is_read_in_parts(reader):
    text = "鯊ヂは靗5キ.噍磭々4￥すもえユ"
    words = [word for fragment in reader.read(spans_of(text)) for word in fragment.words]
    assert [word.text_start for word in words] == sorted(word.text_start for word in words)
    assert words


SIGNS = (
    "ー" * 600,
    "猫、ー" * 200,
    "「ー」々ー" * 100,
    "ーゝー！？ー" * 100,
    "ヶー々々ーαゝー " * 50,
    "᭸キ⧰⳾ⱎ⺍レン⸺ˇ" * 20,
)


def test_signs_without_a_sound_print_nothing():
    code = (
        "import sys\n"
        "from service.text import FrontEnd, Passage, TracedText\n"
        "front_end = FrontEnd()\n"
        "for text in sys.argv[1:]:\n"
        "    for reading in front_end.read(Passage(TracedText(text)), 'ja'): pass\n"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code, *SIGNS], cwd=root, capture_output=True, check=True)
    assert done.stderr == b""


def test_lengthening_marks_are_said_where_they_lengthen(front_end):
    for text in ("えー", "猫ー", "えーーっ", "時々ー", "ラーメン"):
        (reading,) = front_end.read(Passage(TracedText(text)), "ja")
        assert "ː" in reading.phonemes, text
