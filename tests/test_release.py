"""What `make release` refuses, and what it writes beside the wheels."""

import os
import shutil
import subprocess
from itertools import pairwise

import pytest

import service
from distributions import release
from distributions.release import ReleaseError

FILES = (
    "service/__init__.py", "distributions/kokoro-service/pyproject.toml", "Dockerfile",
    "Dockerfile.jetson", "CHANGELOG.md",
)  # fmt: skip
VERSION = service.__version__


def git(tree, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    subprocess.run(["git", *identity, *arguments], cwd=tree, check=True, capture_output=True)


def change(tree, name, old, new):
    file = tree / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    git(tree, "commit", "-qam", "a change")


@pytest.fixture
def tree(repository, tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(repository / name, tmp_path / name)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "all")
    change(tmp_path, "CHANGELOG.md", "## Unreleased", f"## {VERSION} (2026-12-01)")
    return tmp_path


def test_a_tree_that_is_ready_has_a_version_and_notes(tree, repository):
    assert (release.version_of(repository), release.check(tree)) == (VERSION, VERSION)
    notes = release.notes(tree, VERSION)
    assert notes.startswith(f"kokoro-service {VERSION}\n\n### Added")
    assert "\n## " not in notes


REFUSED = [
    (lambda tree: (tree / "new.txt").touch(), "has changes"),
    (lambda tree: git(tree, "tag", f"v{VERSION}"), "exists"),
    *(
        (lambda tree, name=name: change(tree, name, VERSION, "9.9.9"), r"other files say .*9\.9\.9")
        for name in FILES[1:4]
    ),
    (lambda tree: change(tree, "CHANGELOG.md", f"## {VERSION} (2026-12-01)", "## Unreleased"), "no section"),
]


@pytest.mark.parametrize(("act", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_a_tree_that_is_not_ready_is_refused(tree, act, why):
    act(tree)
    with pytest.raises(ReleaseError, match=why):
        release.check(tree)


def test_checksums_are_those_that_sha256sum_checks(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"wheel")
    (tmp_path / "NOTES.md").write_bytes(b"notes")
    for _ in range(2):  # the second time it is there already
        release.write_checksums(tmp_path)
    done = subprocess.run(
        ["sha256sum", "--check", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["NOTES.md: OK", "a.whl: OK"]


@pytest.fixture
def docker(tmp_path, monkeypatch):
    """A program of this name that writes its arguments into the file that is returned."""
    asked = tmp_path / "asked"
    program = tmp_path / "programs/docker"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {asked}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    return asked


def test_images_are_for_both_architectures_with_sbom_and_provenance(docker, tmp_path, repository):
    release.build_images("9.9.9", tmp_path)
    asked = docker.read_text(encoding="utf-8").splitlines()
    assert asked[:2] == ["buildx", "build"]
    given = set(pairwise(asked))
    assert ("--platform", "linux/amd64,linux/arm64") in given
    assert ("--build-arg", "VERSION=9.9.9") in given
    assert ("--output", f"type=oci,dest={tmp_path}/kokoro-service-9.9.9.oci.tar") in given
    assert {"--sbom=true", "--provenance=mode=max"} <= set(asked)
    file = dict(given)["--file"]
    assert (repository / file).is_file()


@pytest.mark.thorough
@pytest.mark.parametrize("docker", ["", "exit 1"], ids=["no docker", "no buildx"])
def test_a_release_with_images_needs_dockers_buildx(docker, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(release, "check", lambda tree: VERSION)
    monkeypatch.setenv("PATH", str(tmp_path))
    if docker:
        (tmp_path / "docker").write_text(f"#!/bin/sh\n{docker}\n")
        (tmp_path / "docker").chmod(0o755)
    assert release.main([]) == 1
    assert "docker with buildx; or use --without-images" in capsys.readouterr().err
