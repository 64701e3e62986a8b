"""The three distributions of this tree: what is in them, and that ortffi's needs only numpy."""

import email
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

import ortffi
import service
from tests.ortffi.tiny_models import doubling

pytestmark = pytest.mark.thorough

RUN = """
import sys
before = set(sys.modules)
import ortffi, numpy
with ortffi.SessionBuilder().with_intra_threads(1).commit_from_file(sys.argv[1]) as session:
    print(session.run([numpy.float32([[1, 2]])])[0].tolist())
print(ortffi.__file__)
print(*{name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)
"""


def run(*command, cwd=None, env=None):
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheels(folder, *sources):
    offline = ("--no-index", "--no-deps", "--no-build-isolation")
    run(sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", folder, *sources)


@pytest.fixture(scope="module")
def dist(tmp_path_factory, repository):
    """A folder with all wheels and source distributions."""
    folder = tmp_path_factory.mktemp("dist")
    sources = (repository / "ortffi", repository, repository / "distributions/kokoro-service")
    build_wheels(folder, *sources)
    for source in sources[:2]:  # the whole has no source
        run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=source)
    return folder


def the_one(folder, pattern):
    (path,) = folder.glob(pattern)
    return path


def names_in_wheel(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def modules(repository):
    return {f"ortffi/{path.name}" for path in (repository / "ortffi").glob("*.py")}


def test_the_wheel_of_ortffi_is_its_modules_and_says_that_it_needs_only_numpy(dist, repository):
    names = names_in_wheel(the_one(dist, "ortffi-*.whl"))
    about = {name for name in names if name.startswith(f"ortffi-{ortffi.__version__}.dist-info/")}
    assert names - about == modules(repository) | {"ortffi/py.typed"}
    assert {Path(name).name for name in about} == {"METADATA", "WHEEL", "RECORD", "LICENSE", "NOTICE"}
    about = metadata(the_one(dist, "ortffi-*.whl"))
    assert (about["Name"], about["Version"]) == ("ortffi", ortffi.__version__)
    assert about["License-Expression"] == "Apache-2.0"
    assert [Requirement(line).name for line in about.get_all("Requires-Dist")] == ["numpy"]
    assert "# ortffi" in about.get_payload()
    assert (repository / "ortffi/LICENSE").read_bytes() == (repository / "LICENSE").read_bytes()
    assert "## Unreleased" in (repository / "ortffi/CHANGELOG.md").read_text(encoding="utf-8")


def test_a_wheel_made_of_the_source_distribution_is_the_same(dist, tmp_path):
    build_wheels(tmp_path, the_one(dist, "ortffi-*.tar.gz"))
    assert names_in_wheel(the_one(tmp_path, "*.whl")) == names_in_wheel(the_one(dist, "ortffi-*.whl"))


def test_ortffi_runs_a_model_in_an_environment_with_numpy_only(dist, tmp_path, library):
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare")
    python = tmp_path / "bare/bin/python"
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # Linked, so that nothing has to be fetched.
    for path in Path(np.__file__).parents[1].glob("numpy*"):
        (packages / path.name).symlink_to(path)
    # pip refuses where anything but numpy is needed: there is no index to take it from.
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", the_one(dist, "ortffi-*.whl"))
    (tmp_path / "doubling.onnx").write_bytes(doubling())
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["ONNXRUNTIME_LIB_DIR"] = str(library.path.parent)
    printed = run(python, "-c", RUN, "doubling.onnx", cwd=tmp_path, env=env).splitlines()
    assert (printed[0], Path(printed[1]).parent) == ("[[2.0, 4.0]]", packages / "ortffi")
    assert set(printed[2].split()) == {"ortffi", "numpy"}


def test_the_service_needs_this_ortffi_and_does_not_bring_it(dist):
    wheel = the_one(dist, "kokoro_service_core-*.whl")
    (needed,) = (each for each in requirements(metadata(wheel)) if each.name == "ortffi")
    assert ortffi.__version__ in needed.specifier
    assert not needed.specifier.contains("1.0")
    names = names_in_wheel(wheel)
    assert "service/__init__.py" in names
    assert not {name for name in names if "ortffi" in name}
    with tarfile.open(the_one(dist, "kokoro_service_core-*.tar.gz")) as archive:
        names = archive.getnames()
    assert any(name.endswith("/hatch_build.py") for name in names)
    assert not [name for name in names if "/ortffi" in name]


def requirements(about):
    return [Requirement(line) for line in about.get_all("Requires-Dist")]


def test_the_whole_is_the_core_of_its_version_with_all_that_a_cpu_needs_and_other_extras(dist):
    whole = metadata(the_one(dist, "kokoro_service-*.whl"))
    core = metadata(the_one(dist, "kokoro_service_core-*.whl"))
    assert whole["Version"] == core["Version"] == service.__version__
    (needed,) = (each for each in requirements(whole) if each.marker is None)
    assert (needed.name, str(needed.specifier)) == (core["Name"], f"=={core['Version']}")
    assert needed.extras == {"cpu", "espeak", "model", "prepare"}
    # Extras take nothing away, and the whole passes on those that it has not.
    passed_on = {each.name: each.extras for each in requirements(whole) if each.marker}
    assert set(passed_on) == {core["Name"]}
    inside = {"cpu", "dev", "espeak", "jetson", "model", "prepare"}
    assert set(whole.get_all("Provides-Extra")) == set(core.get_all("Provides-Extra")) - inside

    def names(*extras):
        markers = {f'extra == "{extra}"' for extra in extras}
        return {each.name for each in requirements(core) if str(each.marker) in markers}

    assert (names("jetson"), names("cpu")) == (names("espeak", "model", "prepare"), {"onnxruntime"})


def test_the_whole_has_no_module_but_the_command_and_the_licences(dist):
    wheel = the_one(dist, "kokoro_service-*.whl")
    assert {Path(name).name for name in names_in_wheel(wheel)} == {
        "METADATA", "WHEEL", "RECORD", "LICENSE", "NOTICE", "entry_points.txt",
    }  # fmt: skip
    scripts = []
    for each in (wheel, the_one(dist, "kokoro_service_core-*.whl")):
        with zipfile.ZipFile(each) as archive:
            scripts += [archive.read(name) for name in archive.namelist() if "entry_points" in name]
    assert scripts[0] == scripts[1]
    assert b"kokoro-service = service.__main__:main" in scripts[0]
