"""Completions and the man page: they are those of the command line, and shells take them."""

import shutil
import subprocess

import pytest

from distributions import shell
from service.__main__ import main


def test_what_is_in_the_tree_is_of_this_command_line(repository):
    for name, content in shell.contents().items():
        assert (repository / "share" / name).read_text(encoding="utf-8") == content, "make shell"


@pytest.mark.parametrize("name", shell.SHELLS)
def test_the_command_prints_completions_that_the_shell_takes(name, repository, capsys):
    assert main(["completion", name]) == 0
    printed = capsys.readouterr().out
    assert printed == (repository / f"share/kokoro-service.{name}").read_text(encoding="utf-8")
    assert "espeak-library" in printed
    if shutil.which(name) is None:
        pytest.skip(f"needs {name} to read them")
    done = subprocess.run([name, "-n"], input=printed, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes_commands(repository):
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    script = (
        f"source {repository}/share/kokoro-service.bash; COMP_WORDS=(kokoro-service do); "
        "COMP_CWORD=1; $(complete -p kokoro-service | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
        'echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "doctor", done.stderr
