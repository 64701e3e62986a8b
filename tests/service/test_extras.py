import importlib.metadata
import shlex
import subprocess
import sys

from service import extras
from service.extras import CORE, advice, is_installed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def declared(repository):
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return {name: wanted for name, wanted in extras.items() if name not in ("dev", "jetson")}


def normalized(requirement):
    for place, character in enumerate(requirement):
        if character in "<>=!~":
            return requirement[:place], frozenset(requirement[place:].split(","))
    return requirement, frozenset()


def test_the_advice_names_what_pip_finds(repository):
    for name, wanted in declared(repository).items():
        command = shlex.split(advice(name))
        assert command[1] == "install"
        assert set(map(normalized, command[2:])) == set(map(normalized, wanted))
        assert all("kokoro-service" not in word for word in command)


def test_the_advice_in_a_clone_takes_its_own_environment(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert advice("zeroconf").startswith("pip install 'zeroconf>=")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    assert advice("zeroconf").startswith(".venv/bin/pip install 'zeroconf>=")


def test_an_extra_is_installed_with_all_that_it_brings_or_where_nothing_is_known(monkeypatch):
    assert is_installed("books")
    real = importlib.metadata.distribution

    def without_rich(name):
        if name == "rich":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "distribution", without_rich)
    assert not is_installed("books")
    assert is_installed("av")
    monkeypatch.setattr(extras, "CORE", "no-such-distribution")
    assert is_installed("books")
    assert CORE == "kokoro-service-core"


def test_a_missing_extra_is_told_in_one_line_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "novel.epub").write_bytes(b"")
    commands = ("read novel.epub --list", "read novel.epub -o novel.m4b", "serve --data-dir jobs")
    # As where the extra is not installed: none of its modules can be imported, and no metadata.
    program = (
        "import sys, importlib.metadata as m; real = m.distribution\n"
        "absent = {'av', 'chardet', 'lxml', 'pypdfium2', 'rich', 'turbohtml'}\n"
        "def distribution(name):\n"
        "    if name in absent: raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.distribution = distribution\n"
        "for name in ('av', 'chardet', 'lxml', 'pypdfium2', 'rich', 'turbohtml'):\n"
        "    sys.modules[name] = None\n"
        "from service.__main__ import main\n"
        "print(*(main(command.split()) for command in sys.argv[1:]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *commands], capture_output=True, text=True, check=True)
    assert done.stdout == "1 1 1\n"
    lines = done.stderr.splitlines()
    assert len(lines) == len(commands)
    for line in lines:
        assert line.startswith("kokoro-service: ")
        assert advice("books") in line
