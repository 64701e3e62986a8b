"""The files of the page, over a real port."""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from itertools import product

import pytest
from websockets.sync.client import connect

from service.api.page import assets
from tests.service.api.speech_client import KEYS

DOCUMENTS = ("/", "/docs")


def files_of(document):
    return set(re.findall(r'(?:src|href)="(page/[^"]+)"', document))


def test_the_documents_and_all_that_they_name_are_there(server):
    seen = set()
    for path in DOCUMENTS:
        answer = server.client.get(path)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        named = files_of(answer.text)
        assert len(named) >= 3
        modules = {name.rpartition("/")[2] for name in named}
        folder = next(iter(named)).rpartition("/")[0]
        while modules - seen:
            name = (modules - seen).pop()
            seen.add(name)
            found = server.client.get(f"/{folder}/{name}")
            assert found.status_code == 200, name
            assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
            if name.endswith(".js"):
                assert found.headers["content-type"] == "text/javascript; charset=utf-8"
                modules |= set(re.findall(r'from "\./([a-z_]+\.js)"', found.text))
    assert seen == set(assets.read_assets().files), "the documents name every file"


@pytest.mark.parametrize("path", DOCUMENTS)
def test_the_policy_lets_in_nothing_but_files_of_the_service(server, path):
    answer = server.client.get(path)
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy.pop("default-src") == "'none'"
    if path == "/docs":
        assert policy.pop("img-src") == "'self' data:"
        assert policy.pop("media-src") == "blob:"
    assert set(policy.values()) == {"'self'", "'none'"}
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", answer.text)


def test_a_packed_file_is_sent_as_the_client_can_read_it(server):
    path = f"/page/{assets.read_assets().digest}/swagger-ui.css"
    packed = server.client.get(path, headers={"Accept-Encoding": "br;q=1, gzip;q=0.5"})
    plain = server.client.get(path, headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) * 4 < len(plain.content)
    for answer in (packed, plain):
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["content-type"] == "text/css; charset=utf-8"


def test_what_is_of_others_is_as_it_was_copied(repository):
    folder = repository / "service/api/page/vendored"
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines())
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files |= {name[:-3]: gzip.decompress(content) for name, content in files.items() if name.endswith(".gz")}
    del files["SHA256SUMS"]
    assert {name: hashlib.sha256(content).hexdigest() for name, content in files.items()} == sums
    assert sum(len(content) for name, content in files.items() if name.endswith(".gz")) < 600_000


def test_a_page_that_is_still_the_newest_is_not_sent_again(server):
    first = server.client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    for known in (tag, f'"old", W/{tag}', "*"):
        again = server.client.get("/", headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b""), known
        assert again.headers["etag"] == tag
    assert server.client.get("/", headers={"If-None-Match": '"old"'}).status_code == 200
    assert server.client.get("/", headers={"If-Match": '"old"'}).status_code == 412


def test_no_other_file_is_served(server):
    for path in ("/page/0123456789abcdef/main.js", "/page/{}/index.html", "/page/{}/..%2frouter.py"):
        answer = server.client.get(path.format(assets.read_assets().digest))
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found"), path


def test_the_page_is_small():
    page = assets.read_assets()
    size = sum(len(file.content) for file in [*page.documents.values(), *page.files.values()] if not file.is_packed)
    assert 10_000 < size <= 200_000


def test_the_page_asks_for_all_of_its_modules_at_once():
    """Otherwise each would be asked for when the one that imports it has come."""
    page = assets.read_assets()
    needed, found = {"main.js"}, set()
    while needed:
        name = needed.pop()
        found.add(name)
        needed |= set(re.findall(r'from "\./([\w.]+)"', page.files[name].content.decode())) - found
    document = page.documents["index.html"].content.decode()
    preloaded = re.findall(r'<link rel="modulepreload" href="[\w/]+/([\w.]+)">', document)
    assert sorted(preloaded) == sorted(found - {"main.js"})


def test_a_change_of_any_file_changes_the_folder(tmp_path, monkeypatch):
    (tmp_path / "index.html").write_text('<script src="page/assets/main.js"></script>')
    digests = set()
    for content in ("one", "two"):
        (tmp_path / "main.js").write_text(content)
        monkeypatch.setattr(assets, "_FOLDER", tmp_path)
        found = assets.read_assets.__wrapped__()
        assert f"page/{found.digest}/main.js".encode() in found.documents["index.html"].content
        digests.add(found.digest)
    assert len(digests) == 2


def test_with_keys_the_page_needs_none_and_what_it_asks_does(secured):
    for document in DOCUMENTS:
        answer = secured.client.get(document, headers={"Authorization": ""})
        assert answer.status_code == 200
        assert {secured.client.get(f"/{path}").status_code for path in files_of(answer.text)} == {200}
    asked = [("GET", path) for path in ("/openapi.json", "/voices", "/page")]
    asked += product(("POST", "PUT", "DELETE", "PATCH"), ("/", "/docs", "/page/speech"))
    assert {secured.client.request(*one, json={"text": "Hello."}).status_code for one in asked} == {401}


def test_a_session_with_a_key_as_its_subprotocol_never_shows_it(secured):
    url = secured.url.replace("http", "ws") + "/synthesize/stream"
    with connect(url, subprotocols=["kokoro.v1", f"bearer.{KEYS[0]}"]) as socket:
        assert socket.subprotocol == "kokoro.v1"
        assert '"ready"' in str(socket.recv())
        assert KEYS[0] not in str(socket.response.headers)
    secured.wait_for(r"(synthesize/stream)")
    assert KEYS[0] not in "".join(secured.log)


@pytest.mark.thorough
def test_without_the_page_the_service_has_none(start_server):
    server = start_server("--no-page")
    server.wait_until_ready()
    assert server.client.get("/").status_code == 405  # piper's POST / is still there
    assert server.client.get("/docs").status_code == 404
    folder = f"/page/{assets.read_assets().digest}"
    assert server.client.get(f"{folder}/main.js").status_code == 404
    assert server.stop() == 0


def test_lines_of_a_dialogue_are_turns(repository):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js")
    program = """
        import { Cast, samplesOf, turnsOf } from "./cast.js";
        const voices = ["bf_emma", "am_adam", "am_eric"].map((name) => ({ name, language: name[0] }));
        const value = "Hm.\\nAnna: At 5: pm?\\n  Yes. So: no.\\nBen Hur:  Me.\\nAnna: Oh";
        const play = { value, addEventListener() {} };
        globalThis.Option = String;
        globalThis.document = { createElement: () => ({ append() {}, addEventListener() {} }) };
        const cast = new Cast(play, { replaceChildren() {} });
        cast.fill(voices, "am_adam");
        const parts = [];
        for await (const part of samplesOf(new Response(new Uint8Array([1, 0, 2, 0])))) parts.push(...part);
        console.log(JSON.stringify([turnsOf(play.value), cast.turns.map(({ voice }) => voice), parts]));
    """
    folder = repository / "service/api/page/static"
    command = [node, "--input-type=module", "--experimental-default-type=module", "-"]
    done = subprocess.run(command, input=program, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    turns, voices, samples = json.loads(done.stdout)
    assert [tuple(turn.values()) for turn in turns] == [
        ("", "Hm."), ("Anna", "At 5: pm?\nYes. So: no."), ("Ben Hur", "Me."), ("Anna", "Oh")
    ]  # fmt: skip
    assert voices == ["am_adam", "am_eric", "bf_emma", "am_eric"]
    assert samples == [1, 2]
