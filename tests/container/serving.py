"""Run an image's own command as a container engine would, and hold what it does to its word.

Run as `unshare --mount --net --pid --fork --kill-child --mount-proc python serving.py ROOT CONFIG`: ROOT is the
unpacked image, CONFIG what `buildah inspect --type image` says of it. The command gets what `docker run --read-only
--tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges` gives it, in namespaces of its own. Standard library
only; ends with status 1 and one line where something is not as promised.
"""

import argparse
import array
import ctypes
import fcntl
import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
import wave
from pathlib import Path

SENTENCE = "The container speaks, and its root cannot be written."
_PATIENCE_S = 1800.0
"""For an emulated processor to load the model or to say a sentence; it only ends the wait."""

_PR_SET_NO_NEW_PRIVS = 38
_PR_CAPBSET_DROP = 24
_LAST_CAPABILITY = 63
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


class BrokenPromiseError(Exception):
    """The image does not do what is said of it."""


class Image:
    """What an image says of itself, by what `buildah inspect` printed and more variables; and its unpacked root."""

    def __init__(self, root, inspected, variables):
        config = inspected["Docker"]["config"]
        test = (config.get("Healthcheck") or {}).get("Test") or []
        promise(bool(test), "the image has no health check")
        self.root, self.entrypoint = root, config["Entrypoint"]
        self.environment = dict(item.split("=", 1) for item in [*config["Env"], *variables])
        self.command = [*config["Entrypoint"], *config["Cmd"]]
        self.health_check = ["/bin/sh", "-c", test[1]] if test[0] == "CMD-SHELL" else test[1:]
        self.uid, self.gid, name = _account(root, config["User"])
        promise(self.uid != 0, "the image runs as root")
        lines = (root / "etc/group").read_text(encoding="utf-8").splitlines()
        fields = [line.split(":") for line in lines]
        self.groups = [self.gid, *(int(gid) for _, _, gid, members in fields if name in members.split(","))]

    def start(self, command, **options):
        return subprocess.Popen(command, env=self.environment, preexec_fn=self._become, cwd=self.root, **options)

    def run(self, command, errors=subprocess.STDOUT):
        """Run a command of the image as its user to its end; `errors` is for standard error."""
        process = self.start(command, stdout=subprocess.PIPE, stderr=errors)
        text, apart = ((output or b"").decode(errors="replace").strip() for output in process.communicate())
        return subprocess.CompletedProcess(command, process.returncode, text, apart)

    def _become(self):
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in range(_LAST_CAPABILITY + 1):
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for those that there are not
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        os.chroot(self.root)
        os.chdir("/")
        os.setgroups(self.groups)
        os.setresgid(self.gid, self.gid, self.gid)
        os.setresuid(self.uid, self.uid, self.uid)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("config", type=Path)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--expect-failure", metavar="WORD", help="it must end, with one such line")
    arguments = parser.parse_args()
    try:
        inspected = json.loads(arguments.config.read_text(encoding="utf-8"))
        image = Image(arguments.root, inspected, arguments.env)
        furnish(arguments.root)
        if arguments.expect_failure:
            check_failure(image, arguments.expect_failure)
        else:
            check_confinement(image)
            check_service(image)
            check_findings(image)
    except BrokenPromiseError as error:
        print(f"   NOT SO: {error}", file=sys.stderr)
        return 1
    return 0


def furnish(root):
    """Make the root read-only and mount in it what an engine mounts."""
    _mount("--bind", root, root)
    _mount("-o", "remount,bind,ro", root)
    _mount("-t", "tmpfs", "-o", "nosuid,nodev,noexec,mode=1777", "tmpfs", root / "tmp")
    _mount("--rbind", "/proc", root / "proc")  # with the cpuinfo that build.sh shows
    _mount("--rbind", "/sys", root / "sys")
    _mount("-t", "tmpfs", "-o", "nosuid,mode=755", "tmpfs", root / "dev")
    for name in ("null", "zero", "full", "random", "urandom"):
        (root / "dev" / name).touch()
        _mount("--bind", f"/dev/{name}", root / "dev" / name)
    (root / "dev/shm").mkdir()
    _mount("-t", "tmpfs", "-o", "nosuid,nodev,noexec,mode=1777", "tmpfs", root / "dev/shm")
    _raise_loopback()


def check_confinement(image):
    """See that the root really cannot be written, also where permissions would allow it."""
    written = image.run(["sh", "-c", "id; touch /tmp/here && ls /tmp; touch /var/tmp/there"])
    promise(written.returncode != 0, "the root file system can be written")
    promise("Read-only file system" in written.stdout, f"no read-only root: {written.stdout}")
    promise("here" in written.stdout.splitlines(), f"/tmp cannot be written: {written.stdout}")
    tell(written.stdout.splitlines()[0] + ", root read-only, /tmp writable")


def check_service(image):
    """Start the image's command, wait, ask it for speech, stop it; show its log where something is wrong."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        service = image.start(image.command, stdout=log, stderr=subprocess.STDOUT)
        try:
            _check_running(image, service, start)
        except BaseException:
            sys.stderr.write(os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace"))
            raise
        finally:
            service.kill()
            service.wait()


def _check_running(image, service, start):
    wait_until_healthy(image, service)
    tell(f"its own health check says healthy after {time.monotonic() - start:.1f} s")
    check_process(image, service.pid)
    port = image.environment.get("KOKORO_PORT", "8880")
    check_answers(f"http://127.0.0.1:{port}")
    service.send_signal(signal.SIGTERM)
    status = service.wait(timeout=60)
    promise(status == 0, f"status {status} after SIGTERM")
    tell("SIGTERM: ended with status 0")


def wait_until_healthy(image, service):
    give_up = time.monotonic() + _PATIENCE_S
    asked = time.monotonic()
    while (answer := image.run(image.health_check)).returncode != 0:
        promise(service.poll() is None, f"the service ended with status {service.poll()}")
        promise(time.monotonic() < give_up, f"still not healthy: {answer.stdout}")
        # Between two questions, as an engine does; where asking takes long, it slows the start.
        time.sleep(max(0.2, 2 * (time.monotonic() - asked)))
        asked = time.monotonic()


def check_process(image, pid):
    """Read from the kernel what the service may do."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    status = {key: value.split() for key, _, value in (line.partition(":") for line in lines)}
    promise(set(status["Uid"]) == {str(image.uid)}, f"uid {status['Uid']}")
    promise(set(status["Gid"]) == {str(image.gid)}, f"gid {status['Gid']}")
    for name in ("CapPrm", "CapEff", "CapBnd"):
        promise(int(status[name][0], 16) == 0, f"{name} is {status[name][0]}")
    promise(status["NoNewPrivs"] == ["1"], "new privileges are possible")
    tell(f"uid {image.uid}, groups {' '.join(status['Groups'])}, no capabilities")


def check_answers(address):
    for path in ("/health", "/ready"):
        status, _ = _ask(address + path)
        promise(status == 200, f"{path} answers {status}")
    status, body = _ask(f"{address}/synthesize", {"text": SENTENCE})
    promise(status == 200, f"/synthesize answers {status}: {body[:200]!r}")
    samples, seconds = _speech(body)
    _, answer = _ask(f"{address}/synthesize", {"text": SENTENCE, "timestamps": "word"})
    predicted = json.loads(answer)
    words = predicted["words"]
    promise(len(words) == len(SENTENCE.split()), f"{len(words)} words: {words}")
    # What the model predicted of each sound, against what was sent.
    promise(predicted["duration_s"] == seconds, f"{seconds} s, predicted {predicted['duration_s']}")
    level = max(abs(sample) for sample in samples) / 32768
    promise(level > 0.05, f"silence: no sample above {level:.3f}")
    tell(f"/health, /ready; {len(words)} words in {seconds:.2f} s at 24 kHz, peak {level:.2f}")


def check_findings(image):
    """See that `doctor` finds no fault and that the native operators are in use."""
    ended = image.run([*image.entrypoint, "doctor", "--json"], errors=subprocess.PIPE)
    promise(ended.returncode == 0, f"doctor: {ended.stdout}\n{ended.stderr}")
    findings = {each["name"]: each for each in json.loads(ended.stdout)}
    faults = [each for each in findings.values() if each["ok"] is False]
    promise(not faults, f"doctor: {faults}")
    promise("native kernels" in findings, f"no native operators: {findings.get('prepared')}")
    tell(", ".join(findings[name]["detail"] for name in ("service", "prepared", "native kernels")))


def check_failure(image, word):
    ended = image.run(image.command)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("kokoro-service: ")]
    promise(ended.returncode != 0, f"it ended well: {ended.stdout}")
    promise(len(lines) == 1 and "Traceback" not in ended.stdout, f"not one line: {ended.stdout}")
    promise(word in lines[0], f"the line does not name {word}: {lines[0]}")
    tell(f"status {ended.returncode}: {lines[0]}")


def promise(kept, otherwise):
    if not kept:
        raise BrokenPromiseError(otherwise)


def tell(line):
    print(f"   {line}", flush=True)


def _account(root, user):
    for line in (root / "etc/passwd").read_text(encoding="utf-8").splitlines():
        name, _, uid, gid, *_ = line.split(":")
        if user in (name, uid):
            return int(uid), int(gid), name
    raise BrokenPromiseError(f"the image has no user {user!r}")


def _mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def _raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = bytearray(struct.pack("16sh22x", b"lo", 0))
        fcntl.ioctl(handle, _SIOCGIFFLAGS, request)
        (flags,) = struct.unpack_from("h", request, 16)
        struct.pack_into("h", request, 16, flags | _IFF_UP)
        fcntl.ioctl(handle, _SIOCSIFFLAGS, request)


def _ask(address, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    with opener(request, timeout=_PATIENCE_S) as answer:
        return answer.status, answer.read()


def _speech(body):
    with wave.open(io.BytesIO(body)) as file:
        shape = (file.getnchannels(), file.getsampwidth(), file.getframerate())
        promise(shape == (1, 2, 24_000), f"not mono, 16 bits, 24 kHz: {shape}")
        samples = array.array("h", file.readframes(file.getnframes()))
        promise(len(samples) == file.getnframes(), "shorter than its header says")
    promise(len(samples) > 24_000, f"only {len(samples)} samples")
    return samples, len(samples) / 24_000


if __name__ == "__main__":
    sys.exit(main())
