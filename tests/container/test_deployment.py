"""The compose files, the systemd unit and the Dockerfiles say what the service's settings say.

`make test-container` builds the images and runs them; this is what can be read without that.
"""

import json
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from service import __version__
from service.settings import Settings, load_settings

DOCKERFILES = ("Dockerfile", "Dockerfile.jetson")
UNIT = "deploy/kokoro-service.service"
needs_systemd_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="apt-get install systemd")
either_compose = pytest.mark.parametrize("name", ["compose.yaml", "compose.jetson.yaml"])
either_dockerfile = pytest.mark.parametrize("name", DOCKERFILES)


def compose(repository, name):
    """Return the one service of a compose file, with what it extends."""
    document = yaml.safe_load((repository / name).read_text(encoding="utf-8"))
    assert list(document) == ["services", "volumes"]
    assert list(document["services"]) == ["kokoro"]
    service = document["services"]["kokoro"]
    base = service.pop("extends", None)
    if base is None:
        return service
    inherited = compose(repository, base["file"])
    environment = inherited["environment"] | service.get("environment", {})
    return inherited | service | {"environment": environment}


def unit(repository):
    text = (repository / UNIT).read_text(encoding="utf-8")
    values = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        values.setdefault(key, []).append(value)
    return values


def seconds(text):
    return float(text.removesuffix("s"))


@either_compose
def test_compose_confines_the_service_and_publishes_it_to_this_machine_only(repository, name, monkeypatch):
    service = compose(repository, name)
    assert service["mem_limit"]
    assert not {"healthcheck", "privileged", "network_mode"} & service.keys(), "the image's own check holds"
    assert service.items() >= {
        "read_only": True, "tmpfs": "/tmp", "cap_drop": ["ALL"], "restart": "unless-stopped",
        "security_opt": ["no-new-privileges:true"], "ports": [f"127.0.0.1:{Settings().port}:{Settings().port}"],
    }.items()  # fmt: skip
    assert seconds(service["stop_grace_period"]) > Settings().shutdown_timeout_s
    for key, value in service["environment"].items():
        monkeypatch.setenv(key, value)
    assert load_settings().insecure


def test_compose_for_jetson_builds_its_own_file_and_gets_the_gpu(repository):
    service = compose(repository, "compose.jetson.yaml")
    assert (repository / service["build"]["dockerfile"]).exists()
    assert service["runtime"] == "nvidia"
    assert service["environment"]["NVIDIA_DRIVER_CAPABILITIES"] == "compute,utility"
    named, *bound = service["volumes"]
    assert named == "engines:/opt/model/tensorrt"
    assert all(volume["read_only"] for volume in bound)
    # Else an engine makes a folder on the board where a file is missing.
    assert all(not volume["bind"]["create_host_path"] for volume in bound)


@either_compose
def test_compose_keeps_data_in_a_volume_whose_folder_the_user_of_the_image_owns(repository, name):
    assert "data" in yaml.safe_load((repository / name).read_text(encoding="utf-8"))["volumes"]
    assert "data:/data" in compose(repository, "compose.yaml")["volumes"]
    for dockerfile in DOCKERFILES:
        text = (repository / dockerfile).read_text(encoding="utf-8")
        assert re.search(r"install --directory --owner=10001 --group=10001 .*/data$", text, re.M)


@needs_systemd_analyze
def test_systemd_accepts_the_unit(repository, tmp_path):
    text = (repository / UNIT).read_text(encoding="utf-8")
    here = tmp_path / "kokoro-service.service"
    here.write_text(text.replace("/opt/kokoro/bin/kokoro-service", sys.executable))
    verified = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, check=False)
    about_it = [line for line in verified.stderr.splitlines() if "kokoro-service" in line]
    assert (verified.returncode, about_it) == (0, [])


@needs_systemd_analyze
def test_systemd_finds_little_exposed_by_the_unit(repository):
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=25", "--no-pager", repository / UNIT]
    rated = subprocess.run(command, capture_output=True, text=True, check=False)
    assert rated.returncode == 0, rated.stdout[-200:] + rated.stderr


def test_the_unit_lets_the_service_finish_write_its_cache_and_open_the_gpu(repository):
    values = unit(repository)
    assert seconds(values["TimeoutStopSec"][0]) > Settings().shutdown_timeout_s
    assert values["KillMode"] == ["mixed"], "its helpers must outlive what it finishes"
    assert (values["ExecReload"], values["Restart"]) == (["/bin/kill -HUP $MAINPID"], ["on-failure"])
    assert f"KOKORO_CACHE_DIR=%C/{values['CacheDirectory'][0]}" in values["Environment"]
    assert values["ProtectSystem"] == ["strict"]
    assert not {"PrivateDevices", "PrivateUsers"} & values.keys()
    assert values["DeviceAllow"] == ["char-* rw"]
    assert "video" in values["SupplementaryGroups"][0].split()


@either_dockerfile
def test_a_dockerfile_copies_only_what_the_ignore_file_lets_in(repository, name):
    text = (repository / name).read_text(encoding="utf-8")
    copied = set()
    text = text.replace("\\\n", "")
    for sources in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE):
        copied |= {source.partition("/")[0] for source in sources.split()}
    ignored = (repository / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    assert (ignored[1], copied) == ("*", let_in)
    assert all((repository / source).exists() for source in copied)


@either_dockerfile
def test_a_dockerfile_has_our_version_ends_as_a_user_with_a_number_and_asks_for_readiness(repository, name):
    text = (repository / name).read_text(encoding="utf-8")
    assert re.findall(r"^ARG VERSION=(.*)$", text, re.MULTILINE) == [__version__]
    last_stage = text.split("\nFROM ")[-1]
    assert re.findall(r"^USER (.*)$", last_stage, re.MULTILINE) == ["10001"]
    (check,) = re.findall(r"^HEALTHCHECK .*\\\n +CMD (.*)$", last_stage, re.MULTILINE)
    assert f"${{KOKORO_PORT:-{Settings().port}}}/ready" in json.loads(check)[-1]
    assert re.findall(r"^EXPOSE (.*)$", last_stage, re.MULTILINE) == [f"{Settings().port} 10200"]
    assert '\nENTRYPOINT ["kokoro-service"]\nCMD ["serve"]\n' in last_stage


def test_both_dockerfiles_install_and_compile_alike(repository):
    texts = [(repository / name).read_text(encoding="utf-8") for name in DOCKERFILES]
    cpu, jetson = (re.sub(r"python3?|serve\.txt|jetson\.txt", "X", text) for text in texts)
    (environment,) = re.findall(r"X -m venv /opt/build .*?constraints/prepare.txt\n", cpu, re.DOTALL)
    assert environment in jetson
    (serving,) = re.findall(r"X -m venv /opt/kokoro .*?/opt/kokoro/lib\n", cpu, re.DOTALL)
    assert serving in jetson
