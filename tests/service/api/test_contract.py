"""schemathesis holds a real server against its own OpenAPI document, all checks on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.service.api.serving_process import lent, write

pytestmark = pytest.mark.thorough

KEY = "key-for-the-contract-0123456789"
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def server(start_server, tmp_path_factory):
    """One that says little, and what it has said before at once."""
    keys = write(tmp_path_factory.mktemp("keys") / "keys", KEY.encode())
    yield from lent(
        start_server,
        *("--api-keys-file", str(keys), "--max-text-length", "12", "--audio-cache-bytes", "100_000_000"),
        *("--data-dir", str(tmp_path_factory.mktemp("data")), "--max-jobs", "100000"),
        "--no-page",  # it is for people, and not in the document
    )


def run(server, folder, *arguments):
    (folder / "openapi.json").write_bytes(server.client.get("/openapi.json", headers={"x-api-key": KEY}).content)
    command = [sys.executable, "-m", "schemathesis.cli", "--no-color", "--config-file", str(HERE / "schemathesis.toml")]
    command += ["run", "openapi.json", "--url", server.url, "--report", "json", "--report-json-path", "report.json"]
    environment = {**os.environ, "API_KEY": KEY, "CONTRACT_HOOKS": str(HERE / "contract_hooks.py")}
    done = subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["failures"] == report["errors"] == []
    assert report["operations"]["tested"] == report["operations"]["selected"]
    assert {phase["status"] for phase in report["phases"].values()} <= {"success", "skip"}
    return report


def test_the_server_keeps_to_its_document(server, tmp_path):
    # The phase that covers each value of each field alone belongs to the slow test.
    report = run(server, tmp_path, "--phases", "examples,fuzzing,stateful", "--max-examples", "4", "--seed", "1")
    assert report["operations"]["tested"] == report["operations"]["total"] == 29
    assert report["test_cases"]["generated"] > 150


@pytest.mark.slow
def test_the_server_keeps_to_its_document_in_thousands_of_examples(server, tmp_path):
    n_cases = 0
    # The endpoints that speak have the most to get wrong.
    for arguments in (
        ("--max-examples", "60"),
        ("--include-method", "POST", "--phases", "examples,coverage,fuzzing", "-n", "2200"),
    ):
        n_cases += run(server, tmp_path, *arguments)["test_cases"]["generated"]
    assert n_cases >= 5_000
