import pytest
from hypothesis import strategies as st

from service.errors import LanguageUnavailableError
from service.text import LANGUAGES, find_language, is_variety, language_of_voice
from tests.profiles import given


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("en-us", "en-us"), ("en_US", "en-us"), ("EN-GB", "en-gb"), ("en", "en-us"), ("pt", "pt-br"),
        ("PT_br", "pt-br"), (" fr ", "fr"), ("ZH", "zh"), ("ja_JP", "ja"), ("fr_FR", "fr"), ("fr-FR", "fr"),
        ("fr-CA", "fr"), ("es-MX", "es"), ("es-419", "es"), ("ES_ar", "es"), ("it-CH", "it"), ("hi-IN", "hi"),
        ("hi-Latn-IN", "hi"), ("pt-PT", "pt-br"), ("pt_PT.UTF-8", "pt-br"), ("zh-TW", "zh"), ("zh-Hans-CN", "zh"),
        ("zh_Hant_HK", "zh"), ("zh-cmn-Hans-CN", "zh"), ("cmn-Hans-CN", "zh"), ("zh_CN.UTF-8", "zh"), ("zho", "zh"),
        ("jpn-JP", "ja"), ("ja-JP-u-ca-japanese", "ja"), ("eng", "en-us"), ("en-GB-oxendict", "en-gb"),
        ("en-Latn-GB", "en-gb"), ("en-US-u-hc-h12", "en-us"), ("en-CA", "en-us"), ("en-PH", "en-us"),
        ("en-AU", "en-gb"), ("en-au-x-gb", "en-gb"), ("en-US-x-gb", "en-us"), ("en_IE@euro", "en-gb"),
        ("en-IN", "en-gb"), ("en-NZ", "en-gb"), ("en-ZA", "en-gb"), ("en-UK", "en-gb"), ("en-001", "en-gb"),
        ("en-t-jp", "en-us"), ("fr-GB", "fr"),
    ],
)  # fmt: skip
def test_codes_are_found_however_they_are_written(code, found):
    assert find_language(code).code == found


@pytest.mark.parametrize(
    "code", ["", "xx", "en-", "english", "-", "nl-NL", "zh-yue", "yue-HK", "und", "C.UTF-8", "i-en", "e"]
)
def test_an_unknown_language_says_which_there_are(code):
    with pytest.raises(LanguageUnavailableError, match=r"unknown language .* en-us, en-gb, es"):
        find_language(code)


@given(
    st.sampled_from([*LANGUAGES]),
    st.sampled_from(["", "Latn", "Hans"]),
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=2) | st.just("419"),
    st.lists(st.text("abcdefgh123", min_size=5, max_size=8), max_size=3),
    st.sampled_from("-_"),
    st.sampled_from([str.lower, str.upper, str.title]),
)
def test_a_tag_has_the_language_that_it_begins_with(code, script, region, rest, mark, written):
    language = code.partition("-")[0]
    tag = mark.join(part for part in (language, script, region, *rest) if part)
    assert find_language(written(tag)).code.partition("-")[0] == language


def test_a_tag_without_a_region_is_of_every_variety():
    assert is_variety("en-gb", "en")
    assert is_variety("en-gb", "EN")
    assert is_variety("en-gb", "en_AU")
    assert not is_variety("en-gb", "en-US")
    assert not is_variety("en-us", "en-AU")
    assert not is_variety("", "en")
    with pytest.raises(LanguageUnavailableError):
        is_variety("en-gb", "tlh")


def test_an_error_does_not_repeat_a_long_tag():
    with pytest.raises(LanguageUnavailableError) as caught:
        find_language("x" * 100_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("voice", "language"),
    [
        ("af_heart", "en-us"), ("bm_george", "en-gb"), ("ef_dora", "es"), ("ff_siwis", "fr"), ("hf_alpha", "hi"),
        ("if_sara", "it"), ("jf_alpha", "ja"), ("pf_dora", "pt-br"), ("zf_xiaobei", "zh"), ("x", None), ("", None),
    ],
)  # fmt: skip
def test_a_voices_name_tells_its_language(voice, language):
    assert language_of_voice(voice) == language


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_espeak_has_the_voices_of_the_languages_that_it_reads(espeak, language):
    if language.espeak_voice is None:
        assert language.extra
    else:
        assert espeak.phonemize("a", language.espeak_voice)
