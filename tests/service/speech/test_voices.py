import json
import shutil

import numpy as np
import pytest

from service.errors import InvalidBlendError, UnknownVoiceError, VoiceError
from service.speech import VoiceLibrary


@pytest.fixture(scope="module")
def library(repository):
    return VoiceLibrary(repository / "voices")


@pytest.fixture
def folder(repository, tmp_path):
    """A folder with two voices and their manifest."""
    names = ("af_heart", "am_adam")
    for name in names:
        shutil.copy(repository / f"voices/{name}.bin", tmp_path)
    manifest = json.loads((repository / "voices/manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({name: manifest[name] for name in names}))
    return tmp_path


def rows(repository, name):
    return np.fromfile(repository / f"voices/{name}.bin", "<f4").reshape(510, 1, 256)


def test_all_54_voices_are_there_and_described(library):
    assert len(library.voices) == 54
    assert all(voice.licence == "Apache-2.0" and voice.sha256 for voice in library.voices)
    assert {voice.sex for voice in library.voices} == {"female", "male"}
    languages = {voice.name: voice.language for voice in library.voices}
    assert languages["bf_emma"] == "en-gb"
    assert languages["zf_xiaoni"] == "zh"


def test_the_style_of_n_tokens_is_row_n_minus_1(library, repository):
    heart, table = library.resolve("af_heart"), rows(repository, "af_heart")
    for n_tokens in (1, 17, 510):
        style = library.style(heart, n_tokens)
        assert style.dtype == np.float32
        np.testing.assert_array_equal(style, table[n_tokens - 1])
    for n_tokens in (0, 511):
        with pytest.raises(ValueError, match="no style"):
            library.style(heart, n_tokens)


def test_a_blend_is_the_weighted_mean(library, repository):
    blend = library.resolve(" af_bella(2) + af_sky(1)")
    bella, sky = rows(repository, "af_bella")[9], rows(repository, "af_sky")[9]
    np.testing.assert_allclose(library.style(blend, 10), (2 * bella + sky) / 3, rtol=1e-5)
    assert library.resolve("af_bella+af_sky") == library.resolve("af_bella(0.5)+af_sky(0.5)")
    assert library.resolve("af_bella(3)") == library.resolve("af_bella")
    assert library.resolve("af_sky(1)+af_sky(3)") == library.resolve("af_sky")
    taken_away = library.resolve("af_bella(3) - af_sky(1)")
    np.testing.assert_allclose(library.style(taken_away, 10), (3 * bella - sky) / 2, rtol=1e-5)
    assert taken_away.evening_gain == pytest.approx(library.resolve("af_bella").evening_gain)


@pytest.mark.parametrize(
    "written",
    [
        "af_bella(2)+af_sky(1)", "af_bella(2.0) + af_sky", "af_bella:2,af_sky:1", "af_bella:2, af_sky",
        "2*af_bella+1*af_sky", "2 * af_bella + af_sky", "af_bella*2+af_sky", "af_bella:50%,af_sky:25%",
        "af_bella,af_sky,af_bella", "af_bella(2),af_sky(1)", "3*af_bella+af_sky-af_bella",
        "af_bella(3)-af_bella+af_sky",
    ],
)  # fmt: skip
def test_a_blend_may_be_written_as_others_write_it(library, written):
    weights = {voice.name: weight for voice, weight in library.resolve(written).parts}
    assert weights == pytest.approx({"af_bella": 2 / 3, "af_sky": 1 / 3})


def test_a_hyphen_in_a_name_is_no_minus(folder):
    shutil.copy(folder / "am_adam.bin", folder / "am-adam.bin")
    library = VoiceLibrary(folder)
    assert library.resolve("am-adam").name == "am-adam"
    weights = [weight for _, weight in library.resolve("am-adam(2)-am_adam").parts]
    assert weights == [2.0, -1.0]
    assert library.resolve("2*af_heart-am-adam").name == "af_heart+am-adam"


def test_a_blend_has_the_first_voice_s_language_and_the_slowest_s_pace(library):
    assert library.resolve("bf_emma+af_sky").language == "en-gb"
    pace = {name: library.resolve(name).pace for name in ("af_heart", "af_nicole")}
    assert pace["af_nicole"] < 12 < 14 < pace["af_heart"] < 18
    assert library.resolve("af_heart(9)+af_nicole").pace == pace["af_nicole"]


def test_a_bad_blend_is_refused_and_an_unknown_voice_with_the_nearest_name(library):
    for blend in (
        "", "+", "af_heart+", "af_heart(2", "af_heart()", "af_heart(0)", "af_heart(-1)", "af_heart(nan)",
        "af_heart(inf)", "af_heart(two)", "af_heart-af_heart", "af_heart-af_sky(2)", "-af_heart",
        "2*af_heart(2)", "af_heart:", "af_heart,", "af_heart:2:3", "af_heart*", "*af_heart",
        "af_heart;af_sky", "(2)af_heart", "af_heart 2", "af_heart(1)(2)", "af_heart(1e308)+af_sky(1e308)",
        "../../etc/passwd", "af_heart+" * 100 + "af_heart",
    ):  # fmt: skip
        with pytest.raises(InvalidBlendError):
            library.resolve(blend)
    with pytest.raises(UnknownVoiceError, match=r"'af_hart' \(did you mean af_heart\?\)"):
        library.resolve("af_sky+af_hart")


def test_a_voice_is_dropped_in_by_adding_a_file_and_taken_for_a_slow_one(folder):
    for name in ("im_nuovo", "robot"):
        shutil.copy(folder / "am_adam.bin", folder / f"{name}.bin")
    library = VoiceLibrary(folder)
    voice = library.resolve("im_nuovo").parts[0][0]
    assert (voice.language, voice.sex, voice.licence) == ("it", "male", None)
    assert library.resolve("im_nuovo").pace < library.resolve("am_adam").pace
    assert library.resolve("robot").language is None


@pytest.mark.parametrize("pace", [0, -1, float("nan"), 1e9, "quick", None, [15]])
def test_a_pace_must_be_one(folder, pace):
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["am_adam"]["pace"] = pace
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(VoiceError, match="pace of am_adam"):
        VoiceLibrary(folder)


def test_damage_a_malformed_manifest_and_an_empty_folder_are_named(folder, tmp_path_factory):
    voice = (folder / "am_adam.bin").read_bytes()
    for name, content, told in (
        ("am_adam.bin", voice[:-1] + b"\x01", r"am_adam\.bin is damaged"),
        ("am_adam.bin", voice[:-4], r"am_adam\.bin is damaged"),
            ("af_short.bin", voice[:-4], "522236 bytes; a plain voice file has 522240"),
        ("af_broken.bin", b"\0\0\xc0\x7f" * 510 * 256, r"af_broken\.bin is damaged"),
        *(("manifest.json", content, r"manifest\.json") for content in (b"{", b"[]", b'{"af_heart": 1}')),
    ):  # fmt: skip
        damaged = shutil.copytree(folder, tmp_path_factory.mktemp("voices"), dirs_exist_ok=True)
        (damaged / name).write_bytes(content)
        with pytest.raises(VoiceError, match=told):
            VoiceLibrary(damaged)
    (folder / "am_adam.bin").unlink()
    with pytest.raises(VoiceError, match="am_adam"):
        VoiceLibrary(folder)
    with pytest.raises(VoiceError, match="no voices"):
        VoiceLibrary(tmp_path_factory.mktemp("empty"))
