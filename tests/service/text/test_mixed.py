import pytest
from hypothesis import strategies as st

from service.errors import InvalidTextError, LanguageUnavailableError
from service.text.characters import clean_text
from service.text.mixed import BorrowingReader, MixedReader, route
from service.text.offset_mapping import TracedText
from service.text.punctuation import split
from service.text.reader import Fragment, Reader, indexes, pronounced
from service.text.reading import Word
from service.text.scripts import is_written_solid
from service.text.spans import Override
from tests.profiles import given


def spans_of(text, *overrides):
    return split(clean_text(TracedText(text)), overrides)


def routed(text, language, *known):
    return [(run.language, run.span.text.text) for run in route(spans_of(text), language, lambda word: word in known)]


class Echo(BorrowingReader):
    """Reads each span as the reader's name and the text. Knows the given words."""

    def __init__(self, name, known=(), refused=""):
        super().__init__(name)
        self.name = name
        self.known = known
        self.refused = refused
        self.checked = []
        self.seen = []

    def skipped(self, text):
        self.checked.append(text.text)
        return indexes(text.text, self.refused)

    def knows(self, word):
        return word in self.known

    def read(self, spans):
        self.seen.append(" ".join(span.text.text for span in spans))
        return [self._read(span) for span in spans]

    def _read(self, span):
        if span.is_mark:
            return Fragment(span.text.text)
        if span.override is not None and span.override.phonemes is not None:
            return pronounced(span, span.override)
        said = f"{self.name}:{span.text.text}"
        return Fragment(said, (Word(*span.text.span, 0, len(said)),))


class Readers(dict[str, Reader]):
    def __missing__(self, language):
        raise LanguageUnavailableError(f"{language} needs an extra")


@pytest.mark.parametrize(
    ("language", "text", "runs"),
    [
        ("en-us", "Plain English.", [("en-us", "Plain English"), ("en-us", ".")]),
        ("en-us", "Say 你好 now", [("en-us", "Say"), ("zh", "你好"), ("en-us", "now")]),
        (
            "fr",
            "Le mot 東京 (とうきょう)",
            [("fr", "Le mot"), ("ja", "東京"), ("ja", "("), ("ja", "とうきょう"), ("ja", ")")],
        ),
        (
            "en-us",
            "Привет and γεια, πr",
            [("ru", "Привет"), ("en-us", "and"), ("el", "γεια"), ("el", ","), ("en-us", "πr")],
        ),
        ("zh", "他说한국어 שלום", [("zh", "他说"), ("ko", "한국어"), ("he", "שלום")]),
        ("hi", "मैंने Google पर", [("hi", "मैंने Google पर")]),
        ("zh", "我爱北京。", [("zh", "我爱北京"), ("zh", ".")]),
        ("zh", "我用iPhone 15 Pro打电话", [("zh", "我用"), ("en-us", "iPhone 15 Pro"), ("zh", "打电话")]),
        ("zh", "他说ありがとう了", [("ja", "他说ありがとう了")]),
        ("zh", "他说「ありがとう」了", [("zh", "他说"), ("zh", "“"), ("ja", "ありがとう"), ("ja", "”"), ("zh", "了")]),
        ("zh", "日语的の字很常用吧", [("zh", "日语的"), ("ja", "の"), ("zh", "字很常用吧")]),
        ("ja", "Kokoroは便利", [("en-us", "Kokoro"), ("ja", "は便利")]),
        ("ja", "Don't worry と言う", [("en-us", "Don't worry"), ("ja", "と言う")]),
        ("ja", "5% 増", [("ja", "5% 増")]),
        ("ja", "2024 OK 3", [("ja", "2024"), ("en-us", "OK"), ("ja", "3")]),
    ],
)
def test_each_script_goes_to_its_language(language, text, runs):
    assert routed(text, language) == runs


def test_a_borrowed_word_stays_with_its_language():
    assert routed("Tシャツを着る", "ja", "T") == [("ja", "Tシャツを着る")]
    assert routed("T and T です", "ja", "T", "and") == [("en-us", "T and T"), ("ja", "です")]


def test_words_with_overrides_are_not_cut():
    spans = spans_of("Say 你好 OK", Override(4, 9, phonemes="nihˈaʊ"))
    assert [(run.language, run.span.text.text) for run in route(spans, "en-us")] == [
        ("en-us", "Say"),
        ("en-us", "你好 OK"),
    ]


def test_parts_of_a_span_know_whether_they_are_joined():
    runs = route(spans_of("用iPhone 打"), "zh")
    assert [run.span.joined for run in runs] == [False, True, False]


@given(st.text(st.sampled_from("aé 你の9-'.、ЖABー한%"), max_size=30), st.sampled_from(["ja", "zh", "en-us", "hi"]))
def test_nothing_is_lost_between_the_scripts(text, language):
    spans = spans_of(text)
    runs = route(spans, language)
    kept = "".join(run.span.text.text for run in runs).replace(" ", "")
    assert kept == "".join(span.text.text for span in spans).replace(" ", "")
    assert [run.position for run in runs] == sorted(run.position for run in runs)


def test_a_mixed_text_is_read_by_several_readers_in_one_row():
    readers = Readers({"en-us": Echo("en"), "zh": Echo("zh")})
    text = "Say 你好 now."
    spans = spans_of(text)
    words, mark = MixedReader("en-us", readers.__getitem__).read(spans)
    assert words.phonemes == "en:Say zh:你好 en:now"
    assert [
        (text[word.text_start : word.text_end], words.phonemes[word.phonemes_start : word.phonemes_end])
        for word in words.words
    ] == [("Say", "en:Say"), ("你好", "zh:你好"), ("now", "en:now")]
    assert mark.phonemes == "."


def test_a_reader_sees_the_words_of_others_as_context():
    japanese = Echo("ja")
    readers = Readers({"ja": japanese, "en-us": Echo("en")})
    (fragment,) = MixedReader("ja", readers.__getitem__).read(spans_of("Kokoroは便利"))
    assert fragment.phonemes == "en:Kokoro ja:は便利"
    assert japanese.seen == ["Kokoro は便利"]


def test_words_that_japanese_has_borrowed_are_read_in_japanese():
    readers = Readers({"ja": Echo("ja", known=["iPhone"]), "en-us": Echo("en")})
    (fragment,) = MixedReader("ja", readers.__getitem__).read(spans_of("iPhoneと猫"))
    assert fragment.phonemes == "ja:iPhoneと猫"


def test_a_text_of_one_script_needs_one_language():
    english = Echo("en")
    reader = MixedReader("en-us", Readers({"en-us": english}).__getitem__)
    reader.check(TracedText("Only English, naïve."))
    reader.read(spans_of("Only English, naïve."))
    assert english.checked == ["Only English, naïve."]


def test_every_script_is_checked_by_its_reader():
    english, chinese = Echo("English", refused="你"), Echo("Chinese", refused="好")
    reader = MixedReader("en-us", Readers({"en-us": english, "zh": chinese}).__getitem__)
    with pytest.raises(InvalidTextError, match=r"U\+597D.* at position 6 .* no reading in Chinese"):
        reader.check(TracedText("Say 你好 now"))


def test_a_script_whose_language_is_missing_is_refused():
    reader = MixedReader("en-us", Readers({"en-us": Echo("en")}).__getitem__)
    with pytest.raises(LanguageUnavailableError, match="zh needs an extra"):
        reader.check(TracedText("Say 你好 now"))


@pytest.mark.parametrize(
    ("text", "position", "is_solid"),
    [("你好", 1, True), ("a好", 1, True), ("好a", 1, True), ("ab", 1, False), ("好", 1, True)],
)
def test_scripts_without_spaces_are_known(text, position, is_solid):
    assert is_written_solid(text, position) is is_solid
