"""Names of voices, models and languages."""

import pytest
from service.api.openai.names import VOICES, VoiceNames, check_model, language_code
from service.errors import LanguageUnavailableError, UnknownModelError, UnknownVoiceError
from service.resources import resource
from service.speech.voices import FILE_BYTES

from service.speech import VoiceLibrary

ADDED = {"narrator": "bm_george", "Both of Them": "af_bella+af_sky", "duo": "af_sky+af_bella"}


@pytest.fixture(scope="module")
def names():
    return VoiceNames(ADDED, VoiceLibrary(resource("voices")))


def test_a_name_stands_for_a_voice_or_a_blend(names):
    voices = {
        "af_heart": "af_heart", "AF_HEART": "af_heart", "alloy": "af_alloy", " Alloy\n": "af_alloy",
        "alloy+nova(2)": "af_alloy+af_nova(2)", "AF_Bella (2) + echo": "af_bella (2)+am_echo",
        "Narrator": "bm_george", "narrator+alloy": "bm_george+af_alloy", "Both of them": "af_bella+af_sky",
        "duo+alloy": "duo+af_alloy",  # a blend within a blend: refused where it is read
        "a(b": "a(b", "nobody+alloy": "nobody+af_alloy", "": "",
    }  # fmt: skip
    assert {name: names.resolve(name) for name in voices} == voices


def test_single_names_are_known_in_any_case(names):
    assert all(map(names.knows, ("af_heart", "Af_Heart", "ALLOY", "narrator", "both of them")))
    assert not any(map(names.knows, ("", "kokoro", "af_heart+af_sky", "nobody")))


def test_an_unknown_name_is_an_error_with_a_suggestion(names):
    for name, near in (("af_hart", "af_heart"), ("naratorr", "narrator"), ("shimer", "shimmer")):
        with pytest.raises(UnknownVoiceError, match=rf"unknown voice .*mean {near}\?"):
            names.resolve(name)
    with pytest.raises(UnknownVoiceError, match=r"^unknown voice 'zzzzzzzz'$"):
        names.resolve("zzzzzzzz")


def test_names_of_voices_that_are_not_there_are_left_out(tmp_path):
    (tmp_path / "af_alloy.bin").write_bytes(bytes(FILE_BYTES))
    names = VoiceNames({}, VoiceLibrary(tmp_path))
    assert names.mapped == {"alloy": "af_alloy"}
    assert "echo" in VOICES
    assert not names.knows("echo")


def test_a_language_has_a_letter_a_code_and_regions():
    codes = {"a": "en-us", "Z": "zh", "en": "en-us", "pt-PT": "pt-br", "fr_CA": "fr"}
    assert {name: language_code(name) for name in codes} == codes
    for name in ("", "x", "xx", "xx-YY", "-", "english"):
        with pytest.raises(LanguageUnavailableError, match="unknown language"):
            language_code(name)


def test_models_may_have_dates():
    for name in ("kokoro", "tts-1", "tts-1-1106", "tts-1-hd-1106", "gpt-4o-mini-tts-2025-03-20"):
        check_model(name)
    for name in ("", "tts", "tts-1-11", "tts-1-hd-", "kokoro-v1", "xtts-1", "tts-1-1106-1106"):
        with pytest.raises(UnknownModelError):
            check_model(name)
