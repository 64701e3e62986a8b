import ctypes.util
import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.errors import EspeakError
from service.extras import advice
from service.text import Espeak

AMERICAN = "gmw/en-US"


def test_reads_with_ties(espeak):
    assert espeak.phonemize("church", AMERICAN) == "t^ʃˈɜːt^ʃ"


def test_reads_every_clause(espeak):
    assert espeak.phonemize("Cats. Two, three", AMERICAN) == "kˈæts tˈuː θɹˈiː"


def test_leaves_no_language_marks(espeak):
    assert espeak.phonemize("weekend", "roa/fr") == "wiːkˈɛnd"


def test_knows_its_version_and_data(espeak):
    assert espeak.version[0].isdigit()
    assert (espeak.data / "phontab").is_file()


def test_nothing_in_nothing_out(espeak):
    assert espeak.phonemize("", AMERICAN) == ""


def test_an_unknown_voice_is_an_error(espeak):
    with pytest.raises(EspeakError, match="no voice 'gmw/tlh'"):
        espeak.phonemize("a", "gmw/tlh")


def test_nul_is_refused_because_c_would_stop_there(espeak):
    with pytest.raises(ValueError, match="NUL"):
        espeak.phonemize("one\0two", AMERICAN)


def test_the_data_are_the_folder_or_the_one_that_holds_it(espeak):
    assert Espeak(data=espeak.data).data == espeak.data
    assert Espeak(data=espeak.data.parent).data == espeak.data


def test_the_data_may_have_a_long_path(espeak, tmp_path):
    long = tmp_path / ("a" * 200) / espeak.data.name
    long.parent.mkdir()
    long.symlink_to(espeak.data.resolve())
    there = Espeak(data=long)
    assert there.data == long
    assert there.phonemize("Hello.", "gmw/en-US") == espeak.phonemize("Hello.", "gmw/en-US")


def test_eight_threads_give_the_same_as_one(espeak):
    jobs = [
        (f"{word} {number}", voice)
        for number in range(40)
        for word, voice in (("water", AMERICAN), ("voiture", "roa/fr"), ("gente", "roa/es"))
    ]
    alone = [espeak.phonemize(*job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda job: espeak.phonemize(*job), jobs * 4)) == alone * 4


def test_a_named_library_that_does_not_exist_is_an_error(tmp_path):
    missing = tmp_path / "libespeak-ng.so.1"
    with pytest.raises(EspeakError) as caught:
        Espeak(library=missing)
    assert str(missing) in caught.value.message
    assert advice("espeak") in caught.value.message
    assert "apt-get install libespeak-ng1 espeak-ng-data" in caught.value.message


def test_a_named_library_that_is_another_one_is_an_error():
    libc = ctypes.util.find_library("c")
    assert libc is not None
    with pytest.raises(EspeakError, match="espeak_Initialize"):
        Espeak(library=Path(libc))


def test_named_data_that_do_not_exist_are_an_error(tmp_path):
    with pytest.raises(EspeakError, match="no espeak-ng data"):
        Espeak(data=tmp_path)


def test_data_that_are_none_are_an_error(tmp_path):
    (tmp_path / "phontab").touch()
    with pytest.raises(EspeakError, match="does not start with the data in"):
        Espeak(data=tmp_path)


def test_without_any_library_the_error_says_where_it_looked(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: "libespeak-missing.so")
    with pytest.raises(EspeakError) as caught:
        Espeak()
    assert caught.value.message.startswith(
        "espeak-ng cannot be used (libespeak-missing.so: libespeak-missing.so: cannot open"
    )
    assert "\n" not in caught.value.message
