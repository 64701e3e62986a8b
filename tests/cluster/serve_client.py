"""Ray Serve on the nodes of the tests: deploying, watching, and asking."""

import http.client
import json
import time
from collections import Counter
from dataclasses import dataclass

import httpx

from tests.cluster.ray_nodes import DASHBOARD

PORT = 27800
URL = f"http://127.0.0.1:{PORT}"
_DEPLOY_S = 240


@dataclass(frozen=True)
class ReplicaProcess:
    id: str
    pid: int
    node: str


class Serve:
    def __init__(self):
        self._dashboard = httpx.Client(base_url=DASHBOARD, timeout=60)
        self._arguments = {}

    def close(self):
        self._dashboard.close()

    def deploy(self, **arguments):
        self._arguments = arguments
        self.send({})
        self.wait_until_running(arguments.get("replicas"))

    def reconfigure(self, n_ongoing):
        """Have Ray change an option of the deployment, for which it reconfigures the replicas."""
        self.send({"max_ongoing_requests": n_ongoing})
        until_s = time.monotonic() + _DEPLOY_S
        while self._deployment()["deployment_config"]["max_ongoing_requests"] != n_ongoing:
            assert time.monotonic() < until_s
            time.sleep(0.2)
        self.wait_until_running(self._arguments["replicas"])

    def send(self, options):
        """Have Ray take the configuration, with these options of the deployment."""
        application = {
            "name": "kokoro", "route_prefix": "/", "import_path": "service.cluster.serving:build",
            "args": self._arguments, "deployments": [{"name": "Kokoro", **options}] if options else [],
        }  # fmt: skip
        config = {
            "proxy_location": "HeadOnly",
            # As in deploy/ray/serve.yaml: the service's own deadline.
            "http_options": {"host": "0.0.0.0", "port": PORT, "request_timeout_s": 1800},
            "applications": [application],
        }
        until_s = time.monotonic() + 60
        while True:
            try:
                answer = self._dashboard.put("/api/serve/applications/", json=config)
                assert answer.status_code == 200, answer.text
                return
            except (httpx.TransportError, AssertionError):
                if time.monotonic() > until_s:
                    raise
                time.sleep(0.5)

    def _application(self):
        return self._dashboard.get("/api/serve/applications/").json()["applications"].get("kokoro", {})

    def _deployment(self):
        return self._application().get("deployments", {}).get("Kokoro", {})

    def replicas(self):
        return [
            ReplicaProcess(each["replica_id"], each["pid"], each["node_ip"])
            for each in self._deployment().get("replicas", [])
            if each["state"] == "RUNNING"
        ]

    def wait_until_running(self, n_replicas=None, timeout_s=_DEPLOY_S):
        """Wait until so many replicas run and none is on its way; return the seconds it took."""
        start_s = time.monotonic()
        while True:
            application = self._application()
            assert application.get("status") != "DEPLOY_FAILED", application.get("message")
            deployment = application.get("deployments", {}).get("Kokoro", {})
            states = Counter(each["state"] for each in deployment.get("replicas", []))
            is_there = n_replicas is None or states["RUNNING"] == n_replicas
            if application.get("status") == "RUNNING" and is_there and set(states) <= {"RUNNING"}:
                return time.monotonic() - start_s
            assert time.monotonic() - start_s < timeout_s, f"{application.get('status')} {states}"
            time.sleep(0.2)


@dataclass
class Heard:
    """What came of a request: its status, body and headers, or how it broke."""

    status: int = 0
    body: bytes = b""
    headers: http.client.HTTPMessage | None = None
    broken: str = ""
    first_byte_s: float = 0.0
    total_s: float = 0.0

    @property
    def is_whole(self):
        return self.status == 200 and not self.broken

    @property
    def replica(self):
        return self.headers["x-replica"]


def ask(path="/synthesize", *, port=PORT, request_id="", **body):
    """Send a request on a connection of its own, and read its answer to the end."""
    heard = Heard()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=180)
    start_s = time.monotonic()
    try:
        headers = {"content-type": "application/json"}
        headers |= {"x-request-id": request_id} if request_id else {}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        heard.status, heard.headers = answer.status, answer.headers
        heard.body = answer.read(1)
        heard.first_byte_s = time.monotonic() - start_s
        heard.body += answer.read()
    except (http.client.HTTPException, OSError) as error:
        heard.broken = type(error).__name__
    finally:
        connection.close()
    heard.total_s = time.monotonic() - start_s
    return heard
