"""Write down how this machine reaches its package registries, for a build to be handed.

Run as `python machine.py FOLDER`. It asks apt and pip, and writes into FOLDER `sources.list`, `apt.conf` and
`pip.conf` for the same places inside the build, `volumes`, what to mount there as buildah's `--volume` wants it,
and `mirror`, release and address of the Debian that the stand-ins for the base images are made of.
"""

import ast
import configparser
import re
import subprocess
import sys
from pathlib import Path

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_APT_OPTIONS = re.compile(r"Acquire::(https?|Retries|Check-Valid-Until|Check-Date|Allow\w+)\b")


def main(folder):
    release = _output("sh", "-c", '. /etc/os-release && echo "$VERSION_CODENAME"').strip()
    sources = list(_apt_sources(release))
    if not sources:
        sys.exit(f"apt knows no Debian {release}: run apt-get update, or look at its sources")
    options = [line for line in _output("apt-config", "dump").splitlines() if _APT_OPTIONS.match(line)]
    pip = _pip_settings()
    _write(folder / "sources.list", [line for line, _ in sources])
    _write(folder / "apt.conf", options)
    with (folder / "pip.conf").open("w", encoding="utf-8") as file:
        pip.write(file)
    volumes = {
        "/etc/apt/sources.list": folder / "sources.list", "/etc/apt/apt.conf.d/99machine": folder / "apt.conf",
        "/etc/pip.conf": folder / "pip.conf", str(CERTIFICATES): CERTIFICATES,
    }  # fmt: skip
    credentials = Path("/etc/apt/auth.conf.d")
    if credentials.is_dir() and any(credentials.iterdir()):
        volumes[str(credentials)] = credentials
    values = [value for section in pip.values() for value in section.values()]
    for text in (*(line for line, _ in sources), *options, *values):
        volumes.update((str(path), path) for path in _paths(text))
    _write(folder / "volumes", [f"{path}:{place}:ro" for place, path in volumes.items()])
    _write(folder / "mirror", [f"{release} {sources[0][1]}"])


def _apt_sources(release):
    """Yield lines for sources.list with their addresses, the release itself before its updates."""
    fields = "$(ORIGIN)|$(RELEASE)|$(REPO_URI)|$(COMPONENT)|$(SIGNED_BY)"
    targets = _output("apt-get", "indextargets", "--format", fields, "Created-By: Packages")
    for target in sorted(set(targets.splitlines()), key=lambda line: line.split("|")[1]):
        origin, suite, address, component, key = target.split("|")
        if origin == "Debian" and suite.partition("-")[0] == release:
            signed_by = f"[signed-by={key}] " if key.startswith("/") else ""
            yield f"deb {signed_by}{address} {suite} {component}", address


def _pip_settings():
    """Return pip's settings from all its files and variables; the variables win."""
    settings = configparser.ConfigParser(interpolation=None)
    told = _output(sys.executable, "-m", "pip", "config", "list").splitlines()
    for line in sorted(told, key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        section = "global" if section == ":env:" else section
        if not settings.has_section(section):
            settings.add_section(section)
        settings.set(section, key, ast.literal_eval(value))
    return settings


def _paths(text):
    """Yield what a setting names; an index of pip's with its folder, whose files its links lead to."""
    for word in re.split(r"[\s\"\[\];=]+", text):
        path = Path(word.removeprefix("file://"))
        if path.is_absolute() and path.exists() and path != CERTIFICATES:
            yield path.parent if path.name == "simple" else path


def _output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
