from __future__ import annotations

import ctypes.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.errors import EspeakError
from service.text import Espeak

AMERICAN = "gmw/en-US"


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[3]
    return subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60
    )


def test_reads_with_ties(espeak: Espeak) -> None:
    assert espeak.phonemize("church", AMERICAN) == "t^ʃˈɜːt^ʃ"


def test_reads_every_clause(espeak: Espeak) -> None:
    assert espeak.phonemize("Cats. Two, three", AMERICAN) == "kˈæts tˈuː θɹˈiː"


def test_leaves_no_language_marks(espeak: Espeak) -> None:
    assert espeak.phonemize("weekend", "roa/fr") == "wiːkˈɛnd"


def test_knows_its_version_and_data(espeak: Espeak) -> None:
    assert espeak.version[0].isdigit()
    assert (espeak.data / "phontab").is_file()


def test_nothing_in_nothing_out(espeak: Espeak) -> None:
    assert espeak.phonemize("", AMERICAN) == ""


def test_an_unknown_voice_is_an_error(espeak: Espeak) -> None:
    with pytest.raises(EspeakError, match="no voice 'gmw/tlh'"):
        espeak.phonemize("a", "gmw/tlh")


def test_nul_is_refused_because_c_would_stop_there(espeak: Espeak) -> None:
    with pytest.raises(ValueError, match="NUL"):
        espeak.phonemize("one\0two", AMERICAN)


def test_two_objects_share_one_library(espeak: Espeak) -> None:
    assert Espeak().phonemize("one", AMERICAN) == espeak.phonemize("one", AMERICAN)
    assert Espeak(data=espeak.data).data == espeak.data
    assert Espeak(data=espeak.data.parent).data == espeak.data


def test_eight_threads_give_the_same_as_one(espeak: Espeak) -> None:
    jobs = [
        (f"{word} {number}", voice)
        for number in range(40)
        for word, voice in (("water", AMERICAN), ("voiture", "roa/fr"), ("gente", "roa/es"))
    ]
    alone = [espeak.phonemize(*job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda job: espeak.phonemize(*job), jobs * 4)) == alone * 4


def test_a_named_library_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    missing = tmp_path / "libespeak-ng.so.1"
    with pytest.raises(EspeakError) as caught:
        Espeak(library=missing)
    assert str(missing) in caught.value.message
    assert "pip install 'kokoro-service[espeak]'" in caught.value.message
    assert "apt-get install libespeak-ng1 espeak-ng-data" in caught.value.message


def test_a_named_library_that_is_another_one_is_an_error() -> None:
    libc = ctypes.util.find_library("c")
    assert libc is not None
    with pytest.raises(EspeakError, match="espeak_Initialize"):
        Espeak(library=Path(libc))


def test_named_data_that_do_not_exist_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(EspeakError, match="no espeak-ng data"):
        Espeak(data=tmp_path)


def test_other_data_than_the_library_runs_with_are_an_error(espeak: Espeak, tmp_path: Path) -> None:
    (tmp_path / "phontab").touch()
    with pytest.raises(EspeakError, match="it runs with the data in"):
        Espeak(data=tmp_path)


def test_bad_data_do_not_end_the_process(espeak: Espeak, tmp_path: Path) -> None:
    (tmp_path / "phontab").touch()
    done = run_python(
        f"""
from pathlib import Path
from service.errors import EspeakError
from service.text import Espeak
for data in ({str(tmp_path / "missing")!r}, {str(tmp_path)!r}):
    try:
        Espeak(data=Path(data))
    except EspeakError as error:
        print("refused:", error.message)
print(Espeak().phonemize("cats", {AMERICAN!r}))
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refused:") == 2
    assert done.stdout.endswith("kˈæts\n")


def test_without_any_library_the_error_says_where_it_looked() -> None:
    done = run_python(
        """
import ctypes, ctypes.util, importlib.util
def refuse(name, *args, **kwargs):
    raise OSError(f"cannot open {name}")
importlib.util.find_spec = lambda name: None
ctypes.util.find_library = lambda name: None
ctypes.CDLL = refuse
from service.errors import EspeakError
from service.text import Espeak
try:
    Espeak()
except EspeakError as error:
    print(error.message)
"""
    )
    assert done.stdout.startswith("espeak-ng cannot be used (libespeak-ng.so.1: cannot open")
    assert done.stdout.count("\n") == 1
