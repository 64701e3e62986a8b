"""Make a release: wheels, source distributions, checksums, notes and images.

    python -m distributions.release [--without-images]

It refuses a tree with changes, a version that is tagged already or that the three distributions do
not agree on, and a CHANGELOG.md without a section for it. Then it writes into dist/VERSION/: what
`distributions.wheels` builds, SHA256SUMS, NOTES.md (the section of the changelog), and
sbom.cdx.json (what the whole installs, as constraints/serve.txt pins it). Images are built by
Docker's buildx for amd64 and arm64, with its SBOM and provenance, as archives of the Open Container
Initiative. Nothing leaves this machine: the last lines say what to do with the files.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from distributions import wheels
from distributions.wheels import REPOSITORY, WheelError

IMAGES = {"kokoro-service": "Dockerfile"}
"""Images that need nothing of a board. Dockerfile.jetson is built on one."""

PLATFORMS = "linux/amd64,linux/arm64"


class ReleaseError(Exception):
    """Why there is no release."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 after one line on standard error."""
    parser = argparse.ArgumentParser(prog="python -m distributions.release")
    parser.add_argument("--without-images", action="store_true", help="build no images")
    options = parser.parse_args(arguments)
    try:
        version = check(REPOSITORY)
        if not options.without_images and not has_buildx():
            raise ReleaseError("images need docker with buildx; or use --without-images")
        folder = REPOSITORY / "dist" / version
        if wheels.main(["--to", str(folder)]):
            return 1
        describe(REPOSITORY, version, folder)
        if not options.without_images:
            build_images(version, folder)
        write_checksums(folder)
    except (ReleaseError, WheelError, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(f"to tag:    git tag -a v{version} -F {folder / 'NOTES.md'}")
    print(f"to upload: {sys.executable} -m twine upload {folder}/*.whl {folder}/*.tar.gz")
    return 0


def check(tree: Path) -> str:
    """Return the version that the tree is ready to be released as.

    Raises:
        ReleaseError: it is not ready.
    """
    if _git(tree, "status", "--porcelain"):
        raise ReleaseError("the tree has changes: commit them first")
    version = version_of(tree)
    if _git(tree, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"version {version} exists: raise it in every place that has it")
    notes(tree, version)
    return version


def version_of(tree: Path) -> str:
    """Return the version. Raises ReleaseError where the distributions do not agree on it."""
    (version,) = _versions(tree / "service/__init__.py", r'^__version__ = "(.+)"$')
    whole = tree / wheels.WHOLE / "pyproject.toml"
    found = {
        *_versions(whole, r'^version = "(.+)"$'),
        *_versions(whole, r"kokoro-service-core\[.*\]==([^\"]+)"),
        *_versions(tree / "Dockerfile", r"^ARG VERSION=(.+)$"),
        *_versions(tree / "Dockerfile.jetson", r"^ARG VERSION=(.+)$"),
    }
    if found != {version}:
        raise ReleaseError(f"the service is {version}, other files say {', '.join(sorted(found))}")
    return version


def notes(tree: Path, version: str) -> str:
    """Return the section of the changelog for a version. Raises ReleaseError if there is none."""
    text = (tree / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(
        rf"^## \[?{re.escape(version)}\]?[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    if section is None or not section[1].strip():
        raise ReleaseError(f"CHANGELOG.md has no section {version}: rename Unreleased")
    return f"kokoro-service {version}\n\n{section[1].strip()}\n"


def describe(tree: Path, version: str, folder: Path) -> None:
    """Write the notes and the SBOM. Raises CalledProcessError where the SBOM cannot be made."""
    (folder / "NOTES.md").write_text(notes(tree, version), encoding="utf-8")
    subprocess.run(
        [
            *(sys.executable, "-m", "cyclonedx_py", "requirements", "--output-reproducible"),
            *("--pyproject", str(tree / wheels.WHOLE / "pyproject.toml")),
            *("--output-file", str(folder / "sbom.cdx.json")),
            str(tree / "constraints/serve.txt"),
        ],
        check=True,
    )


def has_buildx() -> bool:
    """Tell whether there is a docker with buildx, so that its lack is told before all else."""
    docker = shutil.which("docker")
    if docker is None:
        return False
    asked = subprocess.run([docker, "buildx", "version"], capture_output=True, check=False)
    return asked.returncode == 0


def build_images(version: str, folder: Path) -> None:
    """Build the images for both architectures. Raises CalledProcessError."""
    revision = _git(REPOSITORY, "rev-parse", "HEAD")
    for name, file in IMAGES.items():
        subprocess.run(
            [
                *("docker", "buildx", "build", "--platform", PLATFORMS, "--file", file),
                *("--sbom=true", "--provenance=mode=max"),
                *("--build-arg", f"VERSION={version}", "--build-arg", f"REVISION={revision}"),
                *("--tag", f"{name}:{version}"),
                *("--output", f"type=oci,dest={folder / f'{name}-{version}.oci.tar'}", "."),
            ],
            cwd=REPOSITORY,
            check=True,
        )


def write_checksums(folder: Path) -> None:
    """Write SHA256SUMS of everything in the folder, for `sha256sum --check`."""
    sums = folder / "SHA256SUMS"
    files = sorted(path for path in folder.iterdir() if path.is_file() and path != sums)
    lines = [f"{wheels.sha256(file)}  {file.name}\n" for file in files]
    sums.write_text("".join(lines), encoding="utf-8")


def _versions(file: Path, pattern: str) -> list[str]:
    return re.findall(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)


def _git(tree: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=tree, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
