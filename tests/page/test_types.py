"""TypeScript checks the modules as they are served."""

import shutil
import subprocess

import pytest


def test_the_modules_have_no_type_errors(repository):
    compiler = repository / ".venv/page/node_modules/typescript/bin/tsc"
    node = shutil.which("node")
    if node is None or not compiler.exists():
        pytest.skip("TypeScript is not installed; run make page-tools, which needs npm")
    modules = sorted((repository / "service/api/page/static").glob("*.js"))
    assert len(modules) > 10
    checked = subprocess.run(
        [
            *(node, compiler, "--noEmit", "--allowJs", "--checkJs", "--strict"),
            *("--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable"),
            *modules,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
