"""Chinese for Kokoro v1.1-zh: Bopomofo with the tones that are heard."""

import pytest

from service.text import FrontEnd, Passage, TracedText, Vocabulary
from service.text.languages.mandarin import bopomofo, syllables

pytest.importorskip("pypinyin", reason="needs the extra zh")

SYMBOLS = [
    *';:,.!?/—…"()“” ', *"\u0303ʣʥʦʨᵝAIOQRSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɛɜɟɡ",
    *"ɨɪʝɯɰŋɳɲɴøɸθœɹɾʁɽʂʃʈʧʊʋʌɣχʎʒʔˈˌːʰʲᵻ12345", *"ㄅㄆㄇㄈㄉㄊㄋㄌㄍㄎㄏㄐㄑㄒㄓㄔㄕㄖㄗㄘㄙ",
    *"ㄚㄛㄜㄝㄞㄟㄠㄡㄢㄣㄤㄥㄦㄧㄨㄩㄭ月十压言阳要阴应用又中穵外万王为文瓮我元云",
]  # fmt: skip
"""Of Kokoro v1.1-zh."""


@pytest.fixture(scope="module")
def front_end():
    return FrontEnd(vocabulary=Vocabulary({symbol: number for number, symbol in enumerate(SYMBOLS, 1)}))


def read(front_end, text, language="zh"):
    return " ".join(one.phonemes for one in front_end.read(Passage(TracedText(text)), language))


def test_every_syllable_has_symbols_of_the_model():
    initials = ["", "y", "w", *syllables._INITIALS]
    finals = [*syllables._FINALS, *syllables._CONTRACTED, *syllables._INTERJECTIONS, "u", "ue", "uan"]
    written = {}
    for body in {initial + final for initial in initials for final in finals}:
        said = bopomofo.phonemes("字", [f"{body}3"])
        assert (said is None) == (syllables.phonemes(f"{body}3") is None), body
        if said is not None:
            assert set(said) <= set(SYMBOLS)
            written.setdefault(said, set()).add(body)
    assert len(written) > 400
    assert bopomofo.phonemes("字", ["zi"]) is None


def test_words_are_written_as_the_model_learned_them(front_end):
    cases = {
        "你好，世界！": "ㄋㄧ2ㄏㄠ3, ㄕ十4ㄐㄝ4!",
        "中国": "ㄓ中1ㄍ我2",
        "我们学习": "我3ㄇㄣ5/ㄒ月2ㄒㄧ2",
        "日子": "ㄖ十4ㄗㄭ5",
        "绿色云": "ㄌㄩ4ㄙㄜ4/云2",
        "水果": "ㄕ为2ㄍ我3",
        "花儿": "ㄏ穵R1",
        "女儿": "ㄋㄩ3ㄦ2",
    }
    assert {text: read(front_end, text) for text in cases} == cases


def test_third_tones_before_each_other_are_told():
    assert bopomofo.heard([["ni3", "hao3"]]) == [["ni2", "hao3"]]
    assert bopomofo.heard([["zhan3", "lan3", "guan3"]]) == [["zhan2", "lan2", "guan3"]]
    assert bopomofo.heard([["wo3"], ["hen3", "hao3"]]) == [["wo2"], ["hen2", "hao3"]]
    assert bopomofo.heard([["shou3", "du3"], ["hao3", "ma5"]]) == [["shou2", "du3"], ["hao3", "ma5"]]
    assert bopomofo.heard([["ma3"], ["A3"], []]) == [["ma2"], ["A3"], []]


def test_english_in_chinese_is_read_by_the_english_front_end(front_end):
    said = read(front_end, "我用Kokoro说话。")
    assert "O" in said
    assert not front_end.vocabulary.unknown(said)


def test_words_know_their_places(front_end):
    (reading,) = front_end.read(Passage(TracedText("你好世界")), "zh")
    assert [reading.phonemes[word.phonemes_start : word.phonemes_end] for word in reading.words] == [
        "ㄋㄧ2ㄏㄠ3", "ㄕ十4ㄐㄝ4",
    ]  # fmt: skip
    assert [(word.text_start, word.text_end) for word in reading.words] == [(0, 2), (2, 4)]


def test_models_share_readers_that_write_the_same(front_end):
    usual = FrontEnd()
    other = usual.of_model(front_end.vocabulary)
    assert read(usual, "你好") == "ni↓xau↓"
    assert read(other, "你好") == "ㄋㄧ2ㄏㄠ3"
    assert read(usual, "你好") == "ni↓xau↓"
    assert other.readers.get("en-us") is usual.readers.get("en-us")
    assert other.readers.get("zh") is not usual.readers.get("zh")
