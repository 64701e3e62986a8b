"""Jobs over HTTP, with a real server, also on a full disk and with a database that somebody locks."""

import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from urllib.parse import unquote

import av
import httpx
import pytest

from service.api.uploads import AT_ONCE
from tests.service.api.asgi_server import read_answer
from tests.service.api.serving_process import FAULTY_SERVER
from tests.service.api.speech_client import bearer, connect
from tests.service.books.made_books import epub, page
from tests.service.files import fill, mounted

TEXT = "CHAPTER I\n\nIt was a dark night.\n\nCHAPTER II\n\nThe morning was clear."
LONG = "\n\n".join(f"CHAPTER {n}\n\n" + "The rain fell, and nobody came. " * 5 for n in range(1, 7))
KEYS = ("key-of-anne-0123456789", "key-without-a-name-0123456789", "key-of-carl-0123456789")
UNKNOWN = "0" * 32


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("jobs") / "data"


@pytest.fixture(scope="module")
def jobs(start_server, data):
    """A server with little room for jobs, little patience, and keys."""
    keys = data.with_name("keys")
    keys.write_text(f"anne:{KEYS[0]}\n{KEYS[1]}\ncarl:{KEYS[2]} characters_per_day=15\n")
    keys.chmod(0o600)
    with ExitStack() as stack:
        server = start_server(
            *("--data-dir", str(data), "--max-jobs", "3", "--api-keys-file", str(keys)),
            *("--max-document-bytes", "20000", "--receive-timeout-s", "1"),
            program=FAULTY_SERVER,
        )
        stack.callback(server.process.kill)
        server.wait_until_ready()
        yield server


@pytest.fixture
def client(jobs):
    """A client with a key; its jobs are removed at the end."""
    with httpx.Client(base_url=jobs.url, timeout=600, headers=bearer(KEYS[0])) as client:
        yield client
        for job in client.get("/jobs").json()["jobs"]:
            delete(client, job["id"])


def add(client, text=TEXT, **fields):
    answer = client.post("/jobs", json={"text": text, **fields})
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/jobs/{answer.json()['id']}"
    return answer.json()["id"]


def delete(client, job_id):
    assert client.delete(f"/jobs/{job_id}").status_code == 204


def refused(answer):
    return answer.status_code, answer.json()["error"]["code"]


def following(client, job_id):
    """Follow a job; yield what each event says of it."""
    with client.stream("GET", f"/jobs/{job_id}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in answer.iter_lines():
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                assert name == "job"
                yield json.loads(value)


def outcome(client, job_id):
    return [*following(client, job_id)][-1]


def post_document(client, content, **request):
    """Add a document; return what is told of the job."""
    answer = client.post("/jobs", content=content, **request)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_text_becomes_a_file_with_chapters(client, tmp_path):
    job_id = add(client, title="A night", timestamps="vtt,json")
    told = [*following(client, job_id)]
    states = [job["state"] for job in told]
    assert states == sorted(states, key=["queued", "planning", "speaking", "writing", "done"].index)
    assert [job["progress"] for job in told] == sorted(job["progress"] for job in told)
    done = told[-1]
    assert done == client.get(f"/jobs/{job_id}").json()
    assert done["state"] == "done"
    assert (done["title"], done["format"], done["timestamps"]) == ("A night", "m4b", ["vtt", "json"])
    audio = client.get(f"/jobs/{job_id}/output")
    assert audio.headers["content-type"] == "audio/mp4"
    path = tmp_path / "night.m4b"
    path.write_bytes(audio.content)
    with av.open(str(path)) as file:
        assert [chapter["metadata"]["title"] for chapter in file.chapters()] == ["Chapter 1", "Chapter 2"]
        assert file.metadata["title"] == "A night"
        assert file.duration / 1e6 == pytest.approx(done["duration_s"], abs=0.1)
    times = client.get(f"/jobs/{job_id}/timestamps/json").json()
    assert [chapter["title"] for chapter in times["chapters"]] == ["Chapter 1", "Chapter 2"]
    assert client.get(f"/jobs/{job_id}/timestamps/vtt").text.startswith("WEBVTT")


def test_players_can_seek(client):
    job_id = add(client, "Hello.", format="mp3")
    assert outcome(client, job_id)["state"] == "done"
    where = f"/jobs/{job_id}/output"
    whole = client.get(where)
    assert whole.status_code == 200
    assert whole.headers["accept-ranges"] == "bytes"
    n_bytes = len(whole.content)
    for first, last in ((0, 9), (100, 1099), (n_bytes - 5, n_bytes - 1)):
        part = client.get(where, headers={"Range": f"bytes={first}-{last}"})
        assert part.status_code == 206
        assert part.headers["content-range"] == f"bytes {first}-{last}/{n_bytes}"
        assert part.content == whole.content[first : last + 1]
    rest = client.get(where, headers={"Range": "bytes=10-", "If-Range": whole.headers["etag"]})
    assert rest.content == whole.content[10:]
    beyond = client.get(where, headers={"Range": f"bytes={n_bytes}-"})
    assert refused(beyond) == (416, "range_not_satisfiable")
    assert beyond.headers["content-range"] == f"bytes */{n_bytes}"


def test_a_document_says_itself_what_it_is(client, tmp_path):
    pages = {"a.xhtml": page("<h1>One</h1><p>Hello.</p>"), "b.xhtml": page("<h1>Two</h1><p>No.</p>")}
    path = epub(tmp_path / "book.epub", pages, '<li><a href="a.xhtml">One</a></li><li><a href="b.xhtml">Two</a></li>')
    headers = {"Content-Type": "application/epub+zip"}
    params = {"format": "opus", "chapters": "1", "speed": 2}
    posted = post_document(client, path.read_bytes(), headers=headers, params=params)
    job = outcome(client, posted["id"])
    assert job["state"] == "done", job
    assert job["title"] == posted["title"] == "The Sea & I"
    assert client.get(f"/jobs/{job['id']}/output").content.startswith(b"OggS")


def test_the_name_of_a_document_says_what_it_is(client):
    posted = post_document(client, b"Hello there.", params={"name": "Greeting.txt", "format": "flac"})
    assert posted["title"] == "Greeting"
    assert outcome(client, posted["id"])["state"] == "done"


DOCUMENT = (
    "<speak>Hello <mark name='here'/>there.<break time='1s'/> <voice name='ann'><prosody rate='fast' contour='x'>It "
    "rained.</prosody></voice>{}</speak>"
)


def test_a_document_in_ssml_is_said_as_it_says(client):
    fields = {"title": "A play", "format": "flac", "timestamps": "json,vtt", "speakers": {"ann": "bf_emma"}}
    posted = client.post("/jobs", json={"text": DOCUMENT.format(""), "ssml": True, **fields}).json()
    told = [{"name": "contour", "element": "prosody", "attribute": "contour"}]
    assert [{key: one[key] for key in told[0]} for one in posted["ignored"]] == told
    job = outcome(client, posted["id"])
    assert (job["state"], job["title"], job["ignored"]) == ("done", "A play", posted["ignored"])
    (chapter,) = client.get(f"/jobs/{job['id']}/timestamps/json").json()["chapters"]
    assert chapter["text"] == "Hello there. It rained."
    (mark,) = chapter["marks"]
    assert (mark["name"], mark["time_s"]) == ("here", pytest.approx(chapter["words"][1]["start_s"], abs=0.026))
    assert chapter["words"][2]["start_s"] - chapter["words"][1]["end_s"] >= 1
    assert "It rained." in client.get(f"/jobs/{job['id']}/timestamps/vtt").text


def test_ssml_comes_as_a_document_of_its_own_and_by_how_it_opens(client):
    document = DOCUMENT.replace(" name='ann'", "").format("").encode()
    for request in (
        {"content": document, "headers": {"Content-Type": "application/ssml+xml"}},
        {"content": document, "params": {"name": "play.SSML"}},
        {"content": document, "params": {"name": "play.txt", "ssml": "auto"}},
        {"content": document, "params": {"name": "play.txt", "ssml": "true"}},
        {"files": {"file": ("play.ssml", document)}},
        {"json": {"text": document.decode(), "ssml": "auto"}},
    ):
        answer = client.post("/jobs", **request)
        assert answer.status_code == 201, answer.text
        assert [one["name"] for one in answer.json()["ignored"]] == ["contour"]
        delete(client, answer.json()["id"])
    for fields in ({"text": "Hello.", "ssml": "auto"}, {"text": document.decode()}):
        answer = client.post("/jobs", json=fields).json()
        assert answer["ignored"] == []
        delete(client, answer["id"])


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"json": {"text": DOCUMENT.format("<p>"), "ssml": True}}, "invalid_markup"),
        ({"json": {"text": "<!DOCTYPE speak><speak>a</speak>", "ssml": True}}, "invalid_markup"),
        ({"json": {"text": DOCUMENT.format(""), "ssml": "strict"}}, "invalid_markup"),
        ({"json": {"text": "<speak><break/></speak>", "ssml": True}}, "invalid_book"),
        ({"json": {"text": "# One", "ssml": True, "markdown": True}}, "invalid_request"),
        ({"content": b"<speak>a</speak>", "params": {"name": "a.html", "ssml": "true"}}, "invalid_request"),
        ({"content": b"<speak>a", "params": {"name": "a.ssml"}}, "invalid_markup"),
    ],
)
def test_ssml_of_jobs_is_refused_at_once(client, request_, code):
    assert refused(client.post("/jobs", **request_)) == (422, code)


def test_subtitles_are_said_at_their_times(client):
    cues = b"1\n00:00:02,000 --> 00:00:02,300\nIt rained all night long.\n\n2\n00:00:08,000 --> 00:00:09,000\nYes.\n"
    posted = post_document(client, cues, params={"name": "talk.srt", "format": "flac", "fit": True})
    job = outcome(client, posted["id"])
    assert job["state"] == "done", job
    assert job["duration_s"] > 8
    assert job["notes"] == ["cue 1 at 0:00:02 is 1.30 times as quick"]
    refusal = client.post("/jobs", content=b"It rained.", params={"name": "a.txt", "fit": True})
    assert refused(refusal)[0] == 422


def test_what_no_text_has_is_dropped_and_counted(client, tmp_path):
    novel = epub(tmp_path / "a.epub", {"a.xhtml": page("<p>It ra\x01ined&#2; \ue000.</p>")}, "")
    job = outcome(client, post_document(client, novel.read_bytes(), params={"name": "a.epub"})["id"])
    assert (job["state"], job["dropped"]) == ("done", 3)


def test_a_refusal_has_the_name_that_the_caller_gave(jobs, client):
    for request, shown in (
        ({"content": b"PK", "params": {"name": "Moby Dick.epub"}}, "Moby Dick.epub is no EPUB"),
        ({"content": b"...", "params": {"name": "some/folder/Été \u202e\n.txt"}}, "Été .txt has no text"),
        ({"content": b"PK", "params": {"name": f"{'a' * 290}.docx"}}, f"{'a' * 290}.docx is no DOCX"),
        ({"content": b"PK", "headers": {"Content-Type": "application/epub+zip"}}, "document is no EPUB"),
        ({"json": {"text": "..."}}, "the text has no text"),
    ):
        answer = client.post("/jobs", **request)
        assert answer.status_code == 422
        assert answer.json()["error"]["message"].startswith(shown)
    assert not any("Moby" in line or "Été" in line for line in jobs.log)


@pytest.mark.thorough
def test_an_output_has_a_name_that_every_system_takes(client):
    for title, name in (
        ('The "Sea"\r\nSet-Cookie: a=b', "The Sea Set-Cookie a b.mp3"),
        ("../../etc/\\passwd", "etc passwd.mp3"),
        ("日本 😀 हिन्दी; x", "日本 हिन्दी x.mp3"),
        ("a" * 300, f"{'a' * 80}.mp3"),
        ("😀/", "speech.mp3"),
    ):
        job_id = add(client, "Hello.", title=title, format="mp3")
        assert outcome(client, job_id)["state"] == "done"
        for method in ("GET", "HEAD"):
            told = client.request(method, f"/jobs/{job_id}/output").headers["content-disposition"]
            plain = re.fullmatch(r'inline; filename="([\w .-]+)"', told, re.A)
            assert unquote((plain or re.fullmatch(r"inline; filename\*=utf-8\'\'([\w%.-]+)", told, re.A))[1]) == name
        delete(client, job_id)


INVALID = "invalid_request"
REFUSED = (
    ("an unknown voice", {"json": {"text": "Hi.", "voice": "nobody"}}, 422, "unknown_voice"),
    ("no such chapter", {"json": {"text": "Hi.", "chapters": "2"}}, 422, INVALID),
    ("no such part", {"json": {"text": "Hi.", "skip": "index"}}, 422, INVALID),
    ("no such language", {"json": {"text": "Hi.", "language": "xx"}}, 422, "language_unavailable"),
    ("no such times", {"json": {"text": "Hi.", "timestamps": "lrc"}}, 422, INVALID),
    ("an unknown field", {"json": {"text": "Hi.", "volume": 3}}, 422, INVALID),
    ("too loud", {"json": {"text": "Hi.", "loudness": 0}}, 422, INVALID),
    ("no text", {"json": {"text": "  "}}, 422, "empty_text"),
    ("no word", {"json": {"text": "..."}}, 422, "invalid_book"),
    ("invisible text", {"json": {"text": "\u3164\u200b\u2800"}}, 422, "empty_text"),
    ("no JSON", {"content": b"{", "headers": {"Content-Type": "application/json"}}, 400, "invalid_json"),
    ("fields in the query", {"json": {"text": "Hi."}, "params": {"speed": 2}}, 422, INVALID),
    ("an unknown kind", {"content": b"GIF89a", "headers": {"Content-Type": "image/gif"}}, 415,
     "unsupported_media_type"),
    ("a damaged book", {"content": b"PK", "params": {"name": "a.epub"}}, 422, "invalid_book"),
    ("an unknown parameter", {"content": b"Hi.", "params": {"name": "a.txt", "pitch": 1}}, 422, INVALID),
    ("a large text", {"json": {"text": "Hi. " * 6000}}, 413, "body_too_large"),
)  # fmt: skip


def test_what_cannot_be_done_is_refused_at_once(client):
    answers = [(name, *refused(client.post("/jobs", **request))) for name, request, _, _ in REFUSED]
    assert answers == [(name, status, code) for name, _, status, code in REFUSED]
    assert client.get("/jobs").json() == {"jobs": []}


def test_there_is_room_for_a_number_of_jobs_and_who_is_refused_spends_nothing(jobs, client):
    with httpx.Client(base_url=jobs.url, headers=bearer(KEYS[2]), timeout=600) as carl:
        first = add(carl, "Hello.")
        for _ in range(2):
            add(client, "Hello.")
        for _ in range(5):
            answer = carl.post("/jobs", json={"text": "Hello."})
            assert refused(answer) == (503, "storage_full")
            assert int(answer.headers["retry-after"]) > 0
        assert refused(carl.post("/jobs", json={"text": "Hello there."})) == (429, "key_limit")
        delete(carl, first)
        delete(carl, add(carl, "Hello."))
        assert refused(carl.post("/jobs", json={"text": "Hello."})) == (429, "key_limit")


@pytest.mark.thorough
def test_a_body_that_is_too_late_gives_its_place_back(jobs):
    head = (
        f"POST /jobs HTTP/1.1\r\nhost: localhost\r\nx-api-key: {KEYS[0]}\r\n"
        "content-type: text/plain\r\ncontent-length: 1000\r\n\r\n"
    )
    for _ in range(2):
        with ExitStack() as stack:
            bodies = [stack.enter_context(connect(jobs)) for _ in range(AT_ONCE)]
            for body in bodies:
                body.sendall(head.encode() + b"x" * 10)
            assert [read_answer(body).status for body in bodies] == [408] * AT_ONCE


def test_each_key_sees_its_own_jobs(jobs, client):
    job_id = add(client, "Hello.")
    with httpx.Client(base_url=jobs.url, headers=bearer(KEYS[1]), timeout=600) as other:
        assert other.get("/jobs").json() == {"jobs": []}
        for method, where in (
            ("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/output"),
            ("GET", "/timestamps/vtt"), ("POST", "/retry"),
        ):  # fmt: skip
            assert refused(other.request(method, f"/jobs/{job_id}{where}")) == (404, "job_not_found"), where
        own = add(other, "Hi.")
        assert [job["id"] for job in other.get("/jobs").json()["jobs"]] == [own]
        delete(other, own)
    assert httpx.get(f"{jobs.url}/jobs").status_code == 401
    assert client.get(f"/jobs/{UNKNOWN}").status_code == 404


def test_a_job_that_is_deleted_ends(client):
    job_id = add(client, LONG)
    followed = following(client, job_id)
    assert next(followed)["state"] != "done"
    assert client.get(f"/jobs/{job_id}/output").status_code == 409
    while next(followed)["progress"] == 0:
        pass
    delete(client, job_id)
    assert "done" not in [job["state"] for job in followed]
    assert client.get(f"/jobs/{job_id}").status_code == 404


@pytest.mark.thorough
def test_a_job_that_failed_is_tried_again(client, data):
    job_id = add(client, LONG, format="flac")
    followed = following(client, job_id)
    assert client.post(f"/jobs/{job_id}/retry").json()["error"]["code"] == "job_not_failed"
    obstacle = data / "jobs" / job_id / "output.flac"
    obstacle.mkdir()
    assert [*followed][-1]["error"]["code"] == "storage_failed"
    assert client.get(f"/jobs/{job_id}/output").status_code == 409
    obstacle.rmdir()
    again = client.post(f"/jobs/{job_id}/retry").json()
    assert (again["error"], again["finished_at"]) == (None, None)
    told = [*following(client, job_id)]
    assert told[-1]["state"] == "done"
    # All speech was kept.
    assert not [job for job in told if job["state"] == "speaking" and 0 < job["progress"] < 1]
    assert client.get(f"/jobs/{job_id}/output").content.startswith(b"fLaC")
    assert client.post(f"/jobs/{job_id}/retry").status_code == 409
    assert client.post(f"/jobs/{UNKNOWN}/retry").status_code == 404


def test_the_next_job_begins_when_one_is_deleted(client):
    jobs = [add(client, LONG), add(client, "Hello."), add(client, LONG)]
    for job_id in (jobs[0], jobs[2]):
        delete(client, job_id)
    assert outcome(client, jobs[1])["state"] == "done"
    assert [job["id"] for job in client.get("/jobs").json()["jobs"]] == [jobs[1]]
    assert client.get("/metrics").text.count("kokoro_jobs_unfinished 0.0") == 1


def test_without_a_folder_there_are_no_jobs(server):
    answer = server.client.post("/jobs", json={"text": "Hi."})
    assert refused(answer) == (501, "jobs_unavailable")
    assert "data_dir" in answer.json()["error"]["message"]


@pytest.mark.thorough
def test_a_killed_server_loses_nothing(start, tmp_path):
    server = start(tmp_path)
    undisturbed = add(server.client, LONG, format="flac")
    assert outcome(server.client, undisturbed)["state"] == "done"
    expected = server.client.get(f"/jobs/{undisturbed}/output").content
    job_id = add(server.client, LONG, format="flac")
    followed = following(server.client, job_id)
    while next(followed)["progress"] < 0.3:
        pass
    followed.close()
    server.process.kill()
    server.process.wait()
    server = start(tmp_path)
    assert outcome(server.client, job_id)["state"] == "done"
    assert server.client.get(f"/jobs/{job_id}/output").content == expected


@pytest.mark.thorough
def test_a_format_may_have_another_name(client):
    for name, known in (("MP3", "mp3"), ("m4a", "m4b"), ("ogg", "opus")):
        job_id = add(client, "Hello.", format=name)
        done = outcome(client, job_id)
        assert (done["state"], done["format"]) == ("done", known)
        assert client.get(f"/jobs/{job_id}/output").content
        query = post_document(client, b"Hello.", params={"name": "a.txt", "format": name})
        assert query["format"] == known
        for one in (job_id, query["id"]):
            delete(client, one)


@pytest.fixture
def disk(tmp_path):
    with mounted(tmp_path / "disk") as folder:
        yield folder


@pytest.fixture
def start(start_server):
    """Start servers that serve jobs in a folder; kill them at the end."""
    with ExitStack() as stack:

        def started(data):
            server = start_server("--data-dir", str(data), program=FAULTY_SERVER)
            stack.callback(server.process.kill)
            server.wait_until_ready()
            return server

        yield started


@pytest.mark.thorough
def test_a_locked_database_delays_who_changes_jobs_and_nobody_else(start, tmp_path):
    server = start(tmp_path)
    client = server.client
    job_id = add(client, TEXT, format="flac")
    assert outcome(client, job_id)["state"] == "done"
    database = tmp_path / "jobs" / "jobs.sqlite"
    with closing(sqlite3.connect(database, isolation_level=None)) as other, ThreadPoolExecutor(3) as clients:
        other.execute("begin exclusive")
        deletion = clients.submit(client.delete, f"/jobs/{job_id}")
        creation = clients.submit(client.post, "/jobs", json={"text": TEXT})
        again = clients.submit(client.delete, f"/jobs/{job_id}")
        while not (deletion.done() and creation.done() and again.done()):
            assert client.get("/health").status_code == 200
            assert [job["id"] for job in client.get("/jobs").json()["jobs"]] == [job_id]
            assert "kokoro_jobs_unfinished 0.0" in client.get("/metrics").text
            assert client.get(f"/jobs/{job_id}/output").content.startswith(b"fLaC")
        # Of two deletions at a time one is refused, whichever comes first.
        leaving, failed = sorted((deletion.result(), again.result()), key=lambda answer: answer.status_code)
        assert refused(leaving) == (409, "job_leaving")
        for answer in (failed, creation.result()):
            assert refused(answer) == (503, "storage_failed")
            assert "another program has locked its database" in answer.json()["error"]["message"]
            assert int(answer.headers["retry-after"]) > 0
        other.execute("rollback")
    assert client.get(f"/jobs/{job_id}").json()["state"] == "done"
    assert client.delete(f"/jobs/{job_id}").status_code == 204
    assert server.stop() == 0
    restarted = start(tmp_path)
    assert restarted.client.get("/jobs").json() == {"jobs": []}
    assert {path.name for path in (tmp_path / "jobs").iterdir() if path.is_dir()} == {"incoming", "outgoing"}
    assert restarted.stop() == 0


@pytest.mark.thorough
def test_jobs_on_a_full_disk_can_be_deleted_and_are_not_lost(start, disk):
    server = start(disk)
    client = server.client
    done, spoken = add(client, TEXT, format="flac"), add(client, LONG, format="opus")
    assert outcome(client, done)["state"] == "done"
    audio = client.get(f"/jobs/{done}/output").content
    followed = following(client, spoken)
    while next(followed)["progress"] == 0:
        pass
    fill(disk)
    failed = [*followed][-1]
    assert (failed["state"], failed["error"]["code"]) == ("failed", "storage_failed")
    assert refused(client.post("/jobs", json={"text": TEXT})) == (503, "storage_failed")
    assert client.get(f"/jobs/{done}/output").content == audio
    server.process.kill()
    server.process.wait()
    again = start(disk)  # on the full disk
    client = again.client
    assert [job["id"] for job in client.get("/jobs").json()["jobs"]] == [done, spoken]
    assert client.get(f"/jobs/{done}/output").content == audio
    assert client.delete(f"/jobs/{done}").status_code == 204  # which makes some room
    assert [job["id"] for job in client.get("/jobs").json()["jobs"]] == [spoken]
    (disk / "filling").unlink()
    retried = client.post(f"/jobs/{spoken}/retry")
    if retried.status_code != 200:  # it could not be kept that it has failed, so it goes on
        assert retried.json()["error"]["code"] == "job_not_failed"
    assert outcome(client, spoken)["state"] == "done"
    assert again.stop() == 0
    assert {path.name for path in (disk / "jobs").iterdir() if path.is_dir()} == {"incoming", "outgoing", spoken}


def test_a_document_may_come_in_a_form(client, tmp_path):
    path = epub(tmp_path / "sea.epub", {"a.xhtml": page("<p>It rained.<span class='pagenum'>5</span></p>")}, "")
    answer = client.post(
        "/jobs", files={"file": (path.name, path.read_bytes())}, data={"format": "MP3", "title": "Rain"}
    )
    assert answer.status_code == 201, answer.text
    assert (answer.json()["title"], answer.json()["format"]) == ("Rain", "mp3")
    answer = client.post("/jobs?format=opus", files={"any": ("a.txt", b"It rained.")})
    assert (answer.json()["title"], answer.json()["format"]) == ("a", "opus")
    assert refused(client.post("/jobs", files={"file": ("a.xyz", b"It rained.")}))[0] == 415
    fast = client.post("/jobs", files={"file": ("a.txt", b"x")}, data={"speed": "9"})
    assert refused(fast)[0] == 422, fast.text
    assert refused(client.post("/jobs", data={"format": "mp3"}))[0] == 415
