"""The OpenAPI document has an example of everything, and each is as the service answers."""

import re

import pytest
from jsonschema_rs import Draft202012Validator
from service.api.app import create_app
from service.api.openapi import describe
from service.settings import Settings
from tests.service.api.test_openapi import operations, resolve


@pytest.fixture(scope="module")
def document():
    app = create_app(Settings(), lambda error: None)
    return describe(app, max_text_length=100, asks_for_key=True)


def contents(document):
    """Yield every request and answer with text in it: where it is, its media type, its content."""
    for path, operation in operations(document):
        bodies = {"request": operation.get("requestBody", {}), **operation["responses"]}
        for name, body in bodies.items():
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


def test_every_request_answer_and_parameter_has_an_example(document):
    found = list(contents(document))
    assert len(found) > 150
    assert not [(place, kind) for place, kind, content in found if not examples_of(document, content)]
    for path, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            schema = parameter["schema"]
            assert {"examples", "enum", "default"} & set(schema), (path, parameter["name"])


def test_every_example_is_valid(document):
    for place, media_type, content in contents(document):
        for example in examples_of(document, content):
            if media_type == "application/json":
                schema = {**content["schema"], "components": document["components"]}
                misses = list(Draft202012Validator(schema).iter_errors(example))
                assert not misses, (place, misses)
            else:
                assert isinstance(example, str), place


def test_examples_of_errors_have_codes_that_there_are(document, repository):
    text = (repository / "docs/errors.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d{3}) \| (.*) \|$", text, re.MULTILINE))
    for name, response in document["components"]["responses"].items():
        if name.startswith("ErrorAnswer"):
            for code, example in response["content"]["application/json"]["examples"].items():
                assert example["value"]["error"]["code"] == code
                assert f"`{code}`" in rows[name.removeprefix("ErrorAnswer")]


def test_examples_of_answers_have_the_fields_of_real_ones(server, document):
    asked = 0
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if operation["tags"] == ["jobs"]:  # they need a server with a folder: test_jobs.py
                continue
            content = operation["responses"]["200"]["content"].get("application/json")
            if content is None:
                continue
            body = {"timestamps": "phoneme"} if path == "/synthesize" else {}
            if path == "/v1/audio/speech":
                body = {"input": "Hi.", "return_timestamps": True}
            elif method == "post":
                body["text"] = "Hi $5 😀"
            where = path.format(voice_id="21m00Tcm4TlvDq8ikWAM", model="kokoro")
            answer = server.client.request(method, where, json=body or None)
            assert answer.status_code == 200, (path, answer.text)
            examples = examples_of(document, content)
            assert shape(answer.json()) in [shape(example) for example in examples], path
            asked += 1
    assert asked > 12


def test_examples_of_texts_begin_as_real_ones(server, document):
    found = {kind: content["example"] for _, kind, content in contents(document) if "example" in content}
    subtitles = {"application/x-subrip": "srt", "text/vtt": "vtt"}
    for media_type, form in subtitles.items():
        answer = server.client.post("/synthesize", json={"text": "Hi.", "format": form})
        digits = re.compile(r"\d\d\d\b")
        assert digits.sub("0", answer.text) == digits.sub("0", found[media_type])
    for media_type in ("text/plain", "application/openmetrics-text"):
        answer = server.client.get("/metrics", headers={"accept": media_type})
        assert answer.headers["content-type"].startswith(media_type)
        for line in found[media_type].splitlines():
            assert line in answer.text.splitlines()
