"""The OpenAPI document, its examples, and its page for people: complete, and a real server keeps to it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator

from service import errors
from service.api.app import create_app
from service.api.middleware.authentication import OPEN_PATHS, is_list
from service.api.openai.names import VOICES
from service.api.openapi import describe
from service.settings import Settings
from tests.service.api.serving_process import lent, write

PATHS = {
    "/synthesize", "/phonemize", "/languages", "/voices", "/health", "/ready", "/jobs", "/jobs/{job_id}",
    "/jobs/{job_id}/events", "/jobs/{job_id}/output", "/jobs/{job_id}/retry", "/jobs/{job_id}/timestamps/{form}",
    "/metrics", "/v1/audio/models", "/v1/audio/speech", "/v1/audio/voices",
    "/v1/audio/voices/combine", "/v1/models", "/v1/models/{model}",
    "/v1/test", "/v1/timing/{name}.json", "/v1/text-to-speech/{voice_id}", "/v1/text-to-speech/{voice_id}/stream",
    "/v1/text-to-speech/{voice_id}/with-timestamps", "/v1/text-to-speech/{voice_id}/stream/with-timestamps",
    "/v1/voices", "/v1/voices/{voice_id}", "/v2/voices", "/", "/dialogue", "/dev/dialogue", "/dev/captioned_speech",
    "/dev/ssml", "/v1/text-to-dialogue", "/v1/text-to-dialogue/stream", "/v1/text-to-dialogue/with-timestamps",
    "/v1/text-to-dialogue/stream/with-timestamps",
}  # fmt: skip

ELEVENLABS = ("/v1/text-to-speech", "/v1/text-to-dialogue", "/v1/voices", "/v2/voices")
"""Beginnings of the paths whose errors have ElevenLabs' shape."""


@pytest.fixture(scope="module")
def document(server):
    return server.client.get("/openapi.json").json()


@pytest.fixture(scope="module")
def with_keys():
    return describe(create_app(Settings(), lambda error: None), max_text_length=100, asks_for_key=True)


def operations(document):
    for path, item in document["paths"].items():
        for operation in item.values():
            yield path, operation


def resolve(document, node):
    while "$ref" in node:
        place = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            place = place[part]
        node = place
    return node


def classes(base):
    return {base}.union(*(classes(child) for child in base.__subclasses__()))


def test_every_path_and_every_method_is_described(document):
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == PATHS
    found = [operation for _, operation in operations(document)]
    # `/jobs` has POST as well, and `/jobs/{job_id}` DELETE.
    assert len({operation["operationId"] for operation in found}) == len(found) == len(PATHS) + 2
    tags = {tag["name"] for tag in document["tags"]}
    for operation in found:
        assert operation["description"]
        assert set(operation["tags"]) <= tags


def test_every_reference_leads_somewhere(document, with_keys):
    for tree in (document, with_keys):
        references = set(re.findall(r'"\$ref": "([^"]*)"', json.dumps(tree)))
        assert references
        for reference in references:
            assert reference.startswith("#/components/")
            assert resolve(tree, {"$ref": reference})
        for kind, components in tree["components"].items():
            if kind != "securitySchemes":
                unused = {name for name in components if f"#/components/{kind}/{name}" not in references}
                assert not unused


def test_every_answer_tells_its_content_and_its_headers(with_keys):
    for path, operation in operations(with_keys):
        for status, response in operation["responses"].items():
            answer = resolve(with_keys, response)
            assert answer["description"]
            assert status in ("204", "206", "304") or answer["content"], (path, status)
            required = {name for name, header in answer["headers"].items() if header.get("required")}
            assert "X-Request-ID" in required
            assert ("Retry-After" in required) == (status in ("429", "503"))
            assert ("WWW-Authenticate" in required) == (status == "401")
            if status >= "4":
                schema = answer["content"]["application/json"]["schema"]
                name = "OpenAIErrorAnswer" if path.startswith(("/v1/", "/dev/")) else "ErrorAnswer"
                name = "RefusalAnswer" if path.startswith(ELEVENLABS) else name
                assert schema == {"$ref": f"#/components/schemas/{name}"}


def test_what_speaks_has_every_status_that_there_is(with_keys):
    # 499 is for the log: nobody is there to get it.
    statuses = {str(error.status) for error in classes(errors.ServiceError)} - {"499"}
    statuses = (statuses | {"200", "408", "413", "415", "431"}) - {"409", "412", "416"}  # those are of jobs
    for path, others in (("/synthesize", set()), ("/v1/audio/speech", {"422", "501"})):
        assert set(with_keys["paths"][path]["post"]["responses"]) == statuses - others


def test_keys_are_asked_for_everywhere_but_where_it_is_open(document, with_keys):
    schemes = with_keys["components"]["securitySchemes"]
    assert schemes["bearer"]["scheme"] == "bearer"
    assert (schemes["header"]["in"], schemes["header"]["name"]) == ("header", "X-API-Key")
    for path, operation in operations(with_keys):
        # Either is enough, and lists need none.
        wanted = None if path in OPEN_PATHS else [{"bearer": []}, {"header": []}]
        if wanted and is_list(path):
            wanted.append({})
        assert operation.get("security") == wanted
        for status in ("401", "429"):
            assert (status in operation["responses"]) == (wanted is not None)
    assert "securitySchemes" not in document["components"]
    for _, operation in operations(document):
        assert "security" not in operation
        assert "401" not in operation["responses"]


def test_every_example_is_spoken(server, document):
    found = [
        (path, example)
        for path, operation in operations(document)
        if "requestBody" in operation
        for example in examples_of(document, operation["requestBody"]["content"]["application/json"])
    ]
    assert {path for path, _ in found} == {
        "/", "/jobs", "/synthesize", "/phonemize", "/v1/audio/speech", "/dialogue", "/v1/audio/voices/combine",
        *(path for path in PATHS if path.startswith(("/v1/text-to-", "/dev/"))),
    }  # fmt: skip
    for path, example in found:
        if path == "/jobs":  # the server has no folder for them: test_jobs.py
            continue
        answer = server.client.post(path.format(voice_id="af_heart"), json=example)
        assert answer.status_code == 200, (example, answer.text)
        media_type = answer.headers["content-type"].partition(";")[0]
        assert media_type in document["paths"][path]["post"]["responses"]["200"]["content"]


MEDIA_TYPES = (
    ("audio/wav", {}), ("audio/pcm", {"format": "pcm"}), ("audio/flac", {"format": "flac"}),
    ("audio/mpeg", {"format": "mp3", "stream": True}), ("audio/ogg", {"format": "opus", "stream": True}),
    ("audio/aac", {"format": "aac"}), ("audio/PCMU", {"format": "mulaw"}),
    ("audio/PCMA", {"format": "alaw", "sample_rate": 48_000}), ("application/x-subrip", {"format": "srt"}),
    ("text/vtt", {"format": "vtt"}), ("application/json", {"timestamps": "word"}),
    ("text/event-stream", {"timestamps": "phoneme", "format": "pcm", "stream": True}),
    ("application/json", {"input": "Yes.", "timestamps": True}),
    ("application/json", {"input": "Yes.", "return_timestamps": True}),
    ("text/event-stream", {"input": "Yes.", "stream_format": "sse"}),
)  # fmt: skip


def test_every_media_type_is_given(server, document):
    for media_type, fields in MEDIA_TYPES:
        path, body = ("/v1/audio/speech", fields) if "input" in fields else ("/synthesize", {"text": "Yes.", **fields})
        answer = server.client.post(path, json=body)
        described = document["paths"][path]["post"]["responses"]["200"]
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, media_type), fields
        assert media_type in described["content"]
        required = [name for name, header in described["headers"].items() if header.get("required")]
        assert all(name in answer.headers for name in required), fields


def test_the_limit_on_text_is_the_setting(document, with_keys):
    for tree, limit in ((document, 20_000), (with_keys, 100)):
        schemas = tree["components"]["schemas"]
        for name, field in (("SynthesisRequest", "text"), ("SpeechRequest", "input")):
            assert schemas[name]["properties"][field]["maxLength"] == limit


# Examples are as the service answers.


def contents(document):
    """Yield every request and answer with text in it: where it is, its media type, its content."""
    for path, operation in operations(document):
        for name, body in {"request": operation.get("requestBody", {}), **operation["responses"]}.items():
            for media_type, content in resolve(document, body).get("content", {}).items():
                if content.get("schema", {}).get("format") == "binary":
                    continue
                if not media_type.startswith("audio/"):
                    yield f"{path} {name}", media_type, content


def examples_of(document, content):
    """Return the examples of a content: its own, or those of its schema and of each alternative."""
    if "example" in content:
        return [content["example"]]
    if "examples" in content:
        return [example["value"] for example in content["examples"].values()]
    schema = resolve(document, content["schema"])
    alternatives = [resolve(document, each) for each in schema.get("anyOf", [])]
    if "examples" in schema or not alternatives:
        return list(schema.get("examples", []))
    found = [each.get("examples", []) for each in alternatives]
    return [example for examples in found for example in examples] if all(found) else []


def shape(value):
    """Return a value with the names of its fields and without its contents."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return None


def test_every_request_answer_and_parameter_has_an_example(with_keys):
    found = list(contents(with_keys))
    assert len(found) > 150
    assert not [(place, kind) for place, kind, content in found if not examples_of(with_keys, content)]
    for path, operation in operations(with_keys):
        for parameter in operation.get("parameters", ()):
            assert {"examples", "enum", "default"} & set(parameter["schema"]), (path, parameter["name"])


def test_every_example_is_valid(with_keys):
    for place, media_type, content in contents(with_keys):
        examples = examples_of(with_keys, content)
        if media_type == "application/json":
            validator = Draft202012Validator({**content["schema"], "components": with_keys["components"]})
            misses = [miss for example in examples for miss in validator.iter_errors(example)]
        else:
            misses = [example for example in examples if not isinstance(example, str)]
        assert not misses, (place, misses)


def test_examples_of_errors_have_codes_that_there_are(with_keys, repository):
    text = (repository / "docs/errors.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d{3}) \| (.*) \|$", text, re.MULTILINE))
    for name, response in with_keys["components"]["responses"].items():
        if name.startswith("ErrorAnswer"):
            for code, example in response["content"]["application/json"]["examples"].items():
                assert example["value"]["error"]["code"] == code
                assert f"`{code}`" in rows[name.removeprefix("ErrorAnswer")]


def test_examples_of_answers_have_the_fields_of_real_ones(server, with_keys):
    asked = 0
    for path, item in with_keys["paths"].items():
        for method, operation in item.items():
            if operation["tags"] == ["jobs"]:  # they need a server with a folder: test_jobs.py
                continue
            content = operation["responses"]["200"]["content"].get("application/json")
            if content is None:
                continue
            body = {"timestamps": "phoneme"} if path == "/synthesize" else {}
            if path == "/v1/audio/speech":
                body = {"input": "Hi.", "return_timestamps": True}
            elif path.startswith("/dev/"):
                turns = [{"voice": "af_heart", "text": "Hi."}]
                body = {"text": "<speak>Hi.</speak>"} if path == "/dev/ssml" else {"input": "Hi.", "turns": turns}
                body |= {"return_timestamps": True, "stream": False}
            elif path == "/dialogue":
                body = {"turns": [{"voice": "af_heart", "text": "Hi $5 😀"}], "timestamps": "phoneme"}
            elif path.startswith("/v1/text-to-dialogue"):
                body = {"inputs": [{"voice_id": "af_heart", "text": "Hi."}]}
            elif method == "post":
                body["text"] = "Hi $5 😀"
            if path == "/v1/timing/{name}.json":
                timed = server.client.post("/v1/audio/speech", json={"input": "Hi.", "return_timing": True})
                path, body = f"/v1{timed.headers['x-timing-path']}", {}
            where = path.format(voice_id="21m00Tcm4TlvDq8ikWAM", model="kokoro")
            answer = server.client.request(method, where, json=body or None)
            assert answer.status_code == 200, (path, answer.text)
            assert shape(answer.json()) in [shape(example) for example in examples_of(with_keys, content)], path
            asked += 1
    assert asked > 12


def test_examples_of_texts_begin_as_real_ones(server, with_keys):
    found = {kind: content["example"] for _, kind, content in contents(with_keys) if "example" in content}
    for media_type, form in {"application/x-subrip": "srt", "text/vtt": "vtt"}.items():
        answer = server.client.post("/synthesize", json={"text": "Hi.", "format": form})
        digits = re.compile(r"\d\d\d\b")
        assert digits.sub("0", answer.text) == digits.sub("0", found[media_type])
    for media_type in ("text/plain", "application/openmetrics-text"):
        answer = server.client.get("/metrics", headers={"accept": media_type})
        assert answer.headers["content-type"].startswith(media_type)
        for line in found[media_type].splitlines():
            assert line in answer.text.splitlines()


# docs/api.md is the same for people.


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs/api.md").read_text(encoding="utf-8")


def test_the_page_has_every_path_field_header_and_code(page, repository, with_keys):
    eleven = (repository / "docs/elevenlabs.md").read_text(encoding="utf-8")
    jobs = (repository / "docs/jobs.md").read_text(encoding="utf-8").replace("{id}", "{job_id}")
    for path in with_keys["paths"]:
        described = jobs if path.startswith("/jobs") else page
        assert path.replace("{form}", "{vtt,srt,json}") in (eleven if path.startswith(ELEVENLABS) else described), path
    schemas = with_keys["components"]["schemas"]
    for name, text in (
        ("SynthesisRequest", page), ("JobRequest", jobs), ("SpeechRequest", page),
        ("PiperRequest", page), ("TextToSpeechRequest", eleven), ("TextToDialogueRequest", eleven),
        ("DialogueRequest", page), ("TurnFields", page),
    ):  # fmt: skip
        for field in schemas[name]["properties"]:
            assert re.search(rf"^\| (`\w+`, )*`{field}`.* \|", text, re.MULTILINE), field
    for _, operation in operations(with_keys):
        for response in operation["responses"].values():
            for header in resolve(with_keys, response)["headers"]:
                assert f"`{header}" in page, header
    rows = re.findall(r"^\| (\d{3} )?\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    status, codes = "", set()
    for first, names in rows:
        status = first.strip() or status
        codes |= {(status, code) for code in re.findall(r"`(\w+)`", names)}
    for error in classes(errors.ServiceError) - classes(errors.StartupError):
        if error.status != 499:
            assert (str(error.status), error.code) in codes
    assert {status for status, _ in codes} == {
        status for _, operation in operations(with_keys) for status in operation["responses"]
    } - {"200", "201", "204", "206", "304"} | {"405"}


def test_the_page_names_the_voices_that_stand_for_openais(page):
    for name, voice in VOICES.items():
        assert f"| `{name}` | `{voice}` |" in page


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.thorough
def test_the_commands_of_the_page_work(server, page, tmp_path):
    commands = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(commands) >= 8
    address = server.url.removeprefix("http://")
    script = "\n".join(["curl() { command curl --fail --noproxy '*' \"$@\"; }", *commands])
    done = subprocess.run(
        ["bash", "-euc", script.replace("localhost:8880", address)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "hello.wav").read_bytes().startswith(b"RIFF")
    assert (tmp_path / "speech.srt").read_text().startswith("1\n00:00:00,")
    assert '"text_start":9,"text_end":14' in done.stdout
    assert "event: done" in done.stdout
    assert "speech.audio.done" in done.stdout


KEY = "key-for-the-contract-0123456789"
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def keeping(start_server, tmp_path_factory):
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


@pytest.mark.thorough
def test_the_server_keeps_to_its_document(keeping, tmp_path):
    # The phase that covers each value of each field alone belongs to the slow test.
    report = run(keeping, tmp_path, "--phases", "examples,fuzzing,stateful", "--max-examples", "4", "--seed", "1")
    assert report["operations"]["tested"] == report["operations"]["total"] == 39
    assert report["test_cases"]["generated"] > 150


@pytest.mark.slow
def test_the_server_keeps_to_its_document_in_thousands_of_examples(keeping, tmp_path):
    n_cases = 0
    # The endpoints that speak have the most to get wrong.
    for arguments in (
        ("--max-examples", "60"),
        ("--include-method", "POST", "--phases", "examples,coverage,fuzzing", "-n", "2200"),
    ):
        n_cases += run(keeping, tmp_path, *arguments)["test_cases"]["generated"]
    assert n_cases >= 5_000
