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
from service.text.mandarin.pronunciation import is_installed
from service.text.mandarin.segmenter import Frequencies
from service.text.normalization.mandarin import RULES
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from service.text.punctuation import space, split
from service.text.spans import Override
from tests.profiles import given

from service.text import load_vocabulary

if not is_installed():
    pytest.skip("needs the extra zh: pip install 'kokoro-service[zh]'", allow_module_level=True)

from service.text.mandarin.reader import MandarinReader

GOLDEN = Path(__file__).parents[2] / "data" / "reading" / "zh-phonemes.tsv"
CASES = [
    line.split("\t") for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
]


@pytest.fixture(scope="module")
def reader():
    return MandarinReader()


def spans_of(text, *overrides):
    return split(rewrite(clean_text(TracedText(text)), RULES), overrides)


def read(reader, text):
    spans = spans_of(text)
    fragments = reader.read(spans)
    return "".join(space([fragment.phonemes for fragment in fragments], spans))


@pytest.mark.parametrize(("text", "phonemes"), CASES)
def test_chinese_sounds_as_the_voices_have_learned_it(reader, text, phonemes):
    assert read(reader, text) == phonemes


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("慢慢地走", "ma↘nma↘n tɤ ʦou↓"),
        ("这块地", "ꭧɤ↘kʰwai↘ ti↘"),
        ("坐地铁", "ʦwo↘ti↘tʰje↓"),
        ("跑得很快", "pʰau↓ tɤ xə↓nkʰwai↘"),
        ("我得走", "wo↓ tei↓ ʦou↓"),
        ("三米长", "sa→nmi↓ꭧʰa↗ŋ"),
        ("校长", "ɕjau↘ꭧa↓ŋ"),
        ("三只猫", "sa→nꭧɨ→ mau→"),
        ("只有", "ꭧɨ↓jou↓"),
    ],
)
def test_characters_with_two_readings_are_distinguished(reader, text, phonemes):
    assert read(reader, text) == phonemes


@pytest.mark.parametrize(
    ("text", "number"), [("你好안녕", "U+C548"), ("Привет", "U+041F"), ("ひらがな", "U+3072"), ("价格€", "U+20AC")]
)
def test_letters_that_are_not_read_in_chinese_are_refused(reader, text, number):
    with pytest.raises(InvalidTextError, match=re.escape(number)):
        reader.check(TracedText(text))


def test_a_character_without_a_known_reading_is_silent_or_refused(reader):
    (fragment,) = reader.read(spans_of("你好𠮷"))
    assert fragment == reader.read(spans_of("你好"))[0]
    with pytest.raises(InvalidTextError, match=re.escape("U+20BB7")):
        MandarinReader(strict=True).read(spans_of("你好𠮷"))


def test_everyday_chinese_is_not_refused(reader):
    reader.check(TracedText("你好,世界!繁體字、〇和嗯——列夫·托尔斯泰☆→2024"))


def test_remaining_digits_are_read_one_by_one(reader):
    spans = split(TracedText("12"))
    assert reader.read(spans) == reader.read(split(TracedText("一二")))


def test_each_chinese_word_has_its_own_span(reader):
    text = "我在北京大学, 很好。"
    words = [
        (text[word.text_start : word.text_end], fragment.phonemes[word.phonemes_start :])
        for fragment in reader.read(spans_of(text))
        for word in fragment.words
    ]
    assert [text for text, _ in words] == ["我", "在", "北京大学", "很", "好"]
    assert all(phonemes for _, phonemes in words)


def test_given_phonemes_stand_for_chinese_words(reader):
    spans = spans_of("我爱北京", Override(2, 4, phonemes="pei↓"))
    assert [fragment.phonemes for fragment in reader.read(spans)] == ["wo↓ ai↘", "pei↓"]


def test_threads_read_chinese_alike(reader):
    texts = [text for text, _ in CASES] * 4
    alone = [read(reader, text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: read(reader, text), texts)) == alone


@given(
    st.text(
        st.one_of(
            st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
            st.sampled_from("0123456789 、。「」…%.,-的得地长只"),
        ),
        max_size=40,
    )
)
def test_any_chinese_is_read_in_order_or_refused(text):
    reader = _shared()
    spans = spans_of(text)
    try:
        fragments = reader.read(spans)
    except InvalidTextError:
        return
    done = 0
    for span, fragment in zip(spans, fragments, strict=True):
        assert load_vocabulary().unknown(fragment.phonemes) == []
        for word in fragment.words:
            assert span.text.span[0] <= word.text_start < word.text_end <= span.text.span[1]
            assert done <= word.text_start
            done = word.text_start


_READERS: list[MandarinReader] = []


def _shared():
    if not _READERS:
        _READERS.append(MandarinReader())
    return _READERS[0]


def test_frequencies_tell_words_from_starts_of_words():
    frequencies = Frequencies(["北京 34 ns", "北京大学 5 nt", "学 7"])
    assert frequencies.total == 46
    assert frequencies.get("北京") == 34
    assert frequencies.get("北京大") == 0
    assert frequencies["北"] == 0
    assert frequencies.get("京") is None
    assert "北京大学生" not in frequencies
    with pytest.raises(KeyError):
        frequencies["大"]


def test_chinese_leaves_no_file_and_prints_nothing(tmp_path):
    code = (
        "import os, sys, tempfile\n"
        "tempfile.tempdir = sys.argv[1]\n"
        "from service.text.mandarin.pronunciation import is_installed\n"
        "assert is_installed() and 'jieba' not in sys.modules\n"
        "from service.text.mandarin.reader import MandarinReader\n"
        "from service.text.offset_mapping import TracedText\n"
        "MandarinReader().check(TracedText('猫'))\n"
        "assert os.listdir(sys.argv[1]) == []\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "text",
    [
        "我有一本书没还。", "你的钱我不还", "还我钱", "我明天还你", "钱早就还了",
        "他上个月还过一次", "这笔款还完了吗", "我去图书馆还书", "按月还贷款", "借的东西要还",
        "请你快还", "还她人情",
        "他没有还", "有钱就还，没钱就借", "先还利息", "他还账去了",
    ],
)  # fmt: skip
def test_to_give_back_is_not_still(reader, text):
    assert "xwa↗n" in read(reader, text)
    assert "xai↗" not in read(reader, text)


@pytest.mark.parametrize(
    "text",
    [
        "还在下雨", "他还没来", "书还没看完", "我还想去", "还是你好", "还好", "这还了得", "他还呢",
        "她还小", "还我来吧", "你还他妈的说", "还要一个", "还一次都没去过", "天还早", "还可以",
        "还不知道",
    ],
)  # fmt: skip
def test_still_is_not_to_give_back(reader, text):
    assert "xai↗" in read(reader, text)
    assert "xwa↗n" not in read(reader, text)
