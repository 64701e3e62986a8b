"""epubcheck of Debian."""

import shutil
import subprocess

import pytest


def check_epub(path):
    """Have epubcheck look at a book, and accept no warning; skip where it is not installed."""
    checker = shutil.which("epubcheck")
    if checker is None or shutil.which("java") is None:
        pytest.skip("epubcheck of Debian is not installed")
    checked = subprocess.run(["java", "-jar", checker, "--failonwarnings", str(path)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
