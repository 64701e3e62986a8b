"""Ray nodes on this machine, each with a loopback address and a core of its own.

Each node's processes are a group of their own, by whose number they are ended: `ray stop` would end
every Ray on the machine.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD, WORKER = "127.0.0.2", "127.0.0.3"
PORT = 27379
DASHBOARD = f"http://{HEAD}:27265"
ADDRESS = f"{HEAD}:{PORT}"

ENVIRONMENT = {
    "RAY_worker_niceness": "0",
    "RAY_SERVE_PROXY_PREFER_LOCAL_NODE_ROUTING": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",  # or the head asks for the token of whoever has one
    "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH": "service.cluster.proxy:middlewares",
}
_START_S = 120

SESSIONS = set()
"""Of the nodes that this process has started."""


class Node:
    def __init__(self, address, folder, environment):
        self.address = address
        is_head = address == HEAD
        base = 27300 if is_head else 27320
        command = [
            sys.executable, "-m", "ray.scripts.scripts", "start",
            f"--node-ip-address={address}", "--num-cpus=1", "--object-store-memory=100000000",
            "--disable-usage-stats", f"--metrics-export-port={base + 1}",
            f"--dashboard-agent-grpc-port={base + 2}", f"--dashboard-agent-listen-port={base + 3}",
            f"--resources={json.dumps({'head' if is_head else 'worker': 1})}",
            *(
                ["--head", f"--port={PORT}", "--dashboard-port=27265", f"--dashboard-host={HEAD}",
                 f"--temp-dir={folder}", f"--ray-client-server-port={base + 4}",
                 "--min-worker-port=22000", "--max-worker-port=22400"]
                if is_head
                else [f"--address={ADDRESS}", "--min-worker-port=22500", "--max-worker-port=22900"]
            ),
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **environment}, start_new_session=True,
        )  # fmt: skip
        self._group = process.pid
        SESSIONS.add(process.pid)
        try:
            output, _ = process.communicate(timeout=_START_S)
        except BaseException:
            self.kill()
            raise
        assert process.returncode == 0, output

    def kill(self):
        """End its processes at once, as a power cut would."""
        self._signal(signal.SIGKILL)

    def stop(self):
        self._signal(signal.SIGTERM)
        until_s = time.monotonic() + 10
        while self._signal(0) and time.monotonic() < until_s:
            time.sleep(0.1)
        self._signal(signal.SIGKILL)

    def _signal(self, number):
        try:
            os.killpg(self._group, number)
        except ProcessLookupError:
            return False
        return True


class Cluster:
    def __init__(self, **environment):
        self._folder = Path(tempfile.mkdtemp(prefix="kr"))  # Ray's sockets need a short path
        self._environment = {**ENVIRONMENT, **environment}
        self.nodes = {}

    def __enter__(self):
        try:
            for address in (HEAD, WORKER):
                self.start(address)
        except BaseException:
            self._stop()
            raise
        return self

    def start(self, address):
        self.nodes[address] = Node(address, self._folder, self._environment)

    def __exit__(self, kind, error, trace):
        self._stop()

    def _stop(self):
        for address in (WORKER, HEAD):
            if address in self.nodes:
                self.nodes[address].stop()
        if "RAY_LOGS" in os.environ:  # a folder, for who looks for a fault
            for logs in self._folder.glob("session_2*/logs"):
                shutil.copytree(logs, Path(os.environ["RAY_LOGS"]) / logs.parent.name)
        shutil.rmtree(self._folder, ignore_errors=True)


def processes(name):
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                title = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                session = os.getsid(int(folder.name))
            except OSError:
                continue
            if title.startswith(name) and session in SESSIONS:
                found[int(folder.name)] = title
    return found
