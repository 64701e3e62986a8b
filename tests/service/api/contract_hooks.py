"""Checks that schemathesis runs beside its own; named in schemathesis.toml."""

import schemathesis

SECURITY_HEADERS = (
    "cache-control", "content-security-policy", "cross-origin-resource-policy", "referrer-policy",
    "x-content-type-options",
)  # fmt: skip

ELEVENLABS = ("/v1/text-to-speech", "/v1/text-to-dialogue", "/v1/voices", "/v2/voices")
"""Beginnings of the paths whose errors have ElevenLabs' shape."""

OF_MEANING = {
    "document_limit", "empty_text", "invalid_blend", "invalid_book", "invalid_lexicon", "invalid_text",
    "invalid_markup", "language_unavailable", "nothing_to_say", "unknown_symbol", "unknown_voice",
}  # fmt: skip
"""Codes of 422, or of 400 under /v1, for what no schema can express."""


@schemathesis.check
def every_answer_has_the_security_headers(ctx, response, case):
    missing = [name for name in SECURITY_HEADERS if name not in response.headers]
    assert not missing, f"without {missing}"


@schemathesis.check
def an_error_has_the_one_shape(ctx, response, case):
    if response.status_code < 400:
        return
    outer, names = "error", {"code", "message", "request_id"}
    if case.path.startswith(ELEVENLABS):
        outer, names = "detail", {"status", "message", "request_id"}
    elif case.path.startswith(("/v1/", "/dev/")):
        names |= {"type", "param"}
    body = response.json()
    assert set(body) == {outer}
    assert set(body[outer]) == names
    # The field that is wrong is not always known.
    told = {name: value for name, value in body[outer].items() if (name, value) != ("param", None)}
    assert all(isinstance(value, str) and value for value in told.values())
    assert told["request_id"] == response.headers["x-request-id"][0]


@schemathesis.check
def speech_is_never_empty(ctx, response, case):
    if response.status_code == 200:
        assert response.content


@schemathesis.check
def what_fits_the_schema_is_refused_for_its_meaning_only(ctx, response, case):
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    refused = 400 if case.path.startswith(("/v1/", "/dev/")) else 422
    if not is_positive or response.status_code != refused:
        return
    if not isinstance(case.body, dict):
        return  # a document
    given = {name for name, value in case.body.items() if value is not None}
    if any(isinstance(case.body.get(name), str) for name in ("speed", "volume_multiplier")):
        return  # no schema tells which texts are numbers
    if given >= {"speed", "length_scale"} or case.path == "/dialogue":
        return  # their quotient is bounded too, and so is the product of the speeds of a dialogue and its turns
    if case.path == "/dev/ssml" and not given & {"text", "input"}:
        return  # one of them
    if "loudness" in given and (case.body.get("stream") is not False or given & {"volume", "volume_multiplier"}):
        return  # a stream has none, and there is a gain already
    if given >= {"text", "phonemes"}:
        return  # an entry of a dictionary has taken the place of a null
    if case.path == "/jobs" and (case.query or given & {"chapters", "keep", "skip"}):
        return  # a query is of documents only; and nothing of the text may be left
    answer = response.json()
    code = answer["detail"]["status"] if case.path.startswith(ELEVENLABS) else answer["error"]["code"]
    assert code in OF_MEANING
