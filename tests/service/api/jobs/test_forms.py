"""Forms with a document."""

import random

import httpx
import pytest

from service.api.jobs.forms import Form
from service.errors import InvalidRequestError


def encoded(content, name="book.epub", **fields):
    """Return the body and content type of a form as httpx sends it."""
    request = httpx.Request("POST", "http://a/", files={"file": (name, content, "application/x")}, data=fields)
    return request.read(), request.headers["content-type"]


def parsed(tmp_path, body, content_type):
    path = tmp_path / "body"
    path.write_bytes(body)
    return Form.of(path, content_type, tmp_path / "document")


@pytest.mark.parametrize("seed", range(20))
def test_a_form_gives_its_document_byte_by_byte(seed, tmp_path):
    chance = random.Random(seed)
    content = b"".join(
        chance.choice((b"\r\n", b"--", b"\r\n--", b"\0", b"x" * 5000, chance.randbytes(9), b"--\r\n"))
        for _ in range(chance.randrange(50))
    )
    name = chance.choice(("a.epub", "Là é.txt", 'with "quotes".md', "東京.html"))
    fields = {"format": "mp3", "title": chance.choice(("", "Là\r\n\r\nbas", "東京"))}
    form = parsed(tmp_path, *encoded(content, name, **fields))
    assert form.document.read_bytes() == content
    assert (form.fields, form.media_type) == (fields, "application/x")
    if '"' not in name:
        assert form.file_name == name


def test_what_is_no_form_is_refused(tmp_path):
    body, content_type = encoded(b"It rained.")
    two = body.replace(b"--\r\n", b"\r\n") + body[body.index(b"\r\n") + 2 :]
    cases = {
        "no boundary": (body, "multipart/form-data"), "another": (body, "multipart/form-data; boundary=x"),
        "empty": (b"", content_type), "cut off": (body[:-20], content_type), "a head alone": (body[:60], content_type),
        "noise": (bytes(range(256)) * 9, content_type),
        "long boundary": (body, f"multipart/form-data; boundary={'x' * 99}"),
        "no document": (b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--",
        "multipart/form-data; boundary=x"),
        "many parts": (b"--x\r\nA: b\r\n\r\n\r\n" * 200 + b"--x--", "multipart/form-data; boundary=x"),
    }  # fmt: skip
    for written, declared in cases.values():
        with pytest.raises(InvalidRequestError):
            parsed(tmp_path, written, declared)
    with pytest.raises(InvalidRequestError):
        parsed(tmp_path, two, content_type)
