"""Keys with names: their limits under many clients, their lexicons, and SIGHUP."""

import json
import re
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from tests.service.api.asgi_server import read_answer
from tests.service.api.serving_process import write
from tests.service.api.speech_client import assert_refused, bearer, connect, wait_until
from tests.service.api.speech_socket import SpeechSocket

N_CLIENTS = 50
FEW = "key-with-few-requests"
FRUGAL = "key-with-few-characters"
PLAIN = "key-without-a-name"
REFUSED = "key-of-somebody-refused"
LEAVING = "key-that-will-be-removed"
KEYS = f"""# clients
few:{FEW} requests=4
frugal:{FRUGAL} characters_per_day=60
refused:{REFUSED} characters_per_day=6
{PLAIN}
"""
TEXT = "Hi."
FAST = {"format": "pcm", "speed": 2.0}


class Keyed:
    """A server with keys and lexicons that a test may change."""

    def __init__(self, start, folder):
        self.keys, self.lexicons = folder / "keys", folder / "lexicons"
        self.lexicons.mkdir()
        self.write(KEYS)
        self.teach("few", "Greg")
        self.server = start(
            *("--api-keys-file", str(self.keys), "--lexicons-dir", str(self.lexicons)),
            *("--max-requests", "100", "--audio-cache-bytes", "50000000", "--log-format", "json"),
        )
        self.server.wait_until_ready()

    def write(self, keys):
        write(self.keys, keys.encode())

    def teach(self, name, respelling):
        entry = f'[[entry]]\nword = "Grzegorz"\nrespelling = "{respelling}"\n'
        (self.lexicons / f"{name}.toml").write_text(entry, encoding="utf-8")

    def hang_up(self, pattern):
        """Have the files read again; return what the log says of it."""
        n_lines = len(self.lines(pattern))
        self.server.process.send_signal(signal.SIGHUP)
        self.server.wait_for_more(pattern, n_lines)
        return self.lines(pattern)[-1]

    def lines(self, pattern):
        return [line for line in self.server.log if re.search(pattern, line)]

    def post(self, path, key, **fields):
        return self.server.client.post(path, json=fields, headers=bearer(key))

    def normalized(self, key, **fields):
        answer = self.post("/phonemize", key, text="Hi Grzegorz!", **fields)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["normalized"])


@pytest.fixture(scope="module")
def keyed(start_server, tmp_path_factory):
    keyed = Keyed(start_server, tmp_path_factory.mktemp("keyed"))
    yield keyed
    assert keyed.server.stop() == 0


def test_who_has_not_sent_its_body_yet_takes_a_place_of_its_key(keyed):
    body = json.dumps({"text": TEXT, **FAST}).encode()
    head = f"POST /synthesize HTTP/1.1\r\nhost: localhost\r\nx-api-key: {FEW}\r\ncontent-length: {len(body)}\r\n"
    with ExitStack() as stack:
        waiting = [stack.enter_context(connect(keyed.server)) for _ in range(4)]
        for connection in waiting:
            connection.sendall(head.encode() + b"content-type: application/json\r\n\r\n")
        wait_until(lambda: keyed.post("/phonemize", FEW, text=TEXT).status_code == 429)
        refused = keyed.post("/synthesize", FEW, text=TEXT)
        assert_refused(refused, 429, "key_limit")
        assert refused.headers["retry-after"] == "1"
        # Sessions count like requests, and other keys do not.
        assert refused(SpeechSocket, keyed.server.url, bearer(FEW)).status_code == 429
        assert keyed.post("/synthesize", PLAIN, text=TEXT, **FAST).status_code == 200
        for connection in waiting:
            connection.sendall(body)
        assert [read_answer(connection).status for connection in waiting] == [200] * 4


def test_of_fifty_texts_at_once_as_many_are_said_as_the_day_has_characters(keyed):
    with ThreadPoolExecutor(N_CLIENTS) as clients:
        answers = list(clients.map(lambda _: keyed.post("/synthesize", FRUGAL, text=TEXT, **FAST), range(N_CLIENTS)))
    assert Counter(answer.status_code for answer in answers) == {200: 20, 429: 30}
    for answer in answers:
        if answer.status_code == 429:
            assert_refused(answer, 429, "key_limit", "0 of 60 characters left for this day of UTC")
            assert 1 <= int(answer.headers["retry-after"]) <= 86_400
    # On every door, and not where nothing is spoken.
    openai = {"model": "kokoro", "voice": "nova", "input": TEXT}
    assert keyed.post("/v1/audio/speech", FRUGAL, **openai).status_code == 429
    assert keyed.post("/phonemize", FRUGAL, text=TEXT).status_code == 200
    with SpeechSocket(keyed.server.url, bearer(FRUGAL)) as session:
        session.say("Hi.\n")
        assert session.until("error")["error"]["code"] == "key_limit"
        session.finish()


def test_what_is_refused_or_fails_does_not_count(keyed):
    refused = [
        ({"text": "Hi there.", **FAST}, 429), ({"text": TEXT, "voice": "nobody"}, 422),
        ({"text": TEXT, "language": "xx"}, 422), ({"text": "...", **FAST, "stream": True}, 422),
        ({"text": "[x](/", "phonemes": None, "speed": 9.0}, 422), ({"phonemes": "?~?", **FAST}, 422),
    ]  # fmt: skip
    for fields, status in refused:
        for _ in range(3):
            answer = keyed.post("/synthesize", REFUSED, **fields)
            assert answer.status_code == status, answer.text
    for status in (200, 200, 429):
        assert keyed.post("/synthesize", REFUSED, text=TEXT, **FAST).status_code == status


def test_names_are_in_the_log_and_in_the_numbers_and_keys_are_not(keyed):
    for key, identity in ((FEW, "with-a-name"), (PLAIN, "without-one")):
        headers = {**bearer(key), "x-request-id": identity}
        keyed.server.client.post("/synthesize", json={"text": TEXT, **FAST}, headers=headers)
        keyed.server.wait_for(f'"id": "{identity}"')
    lines = [json.loads(line) for line in keyed.server.log if line.startswith("{")]
    by_id = {line["id"]: line for line in lines if "id" in line}
    assert by_id["with-a-name"]["key"] == "few"
    assert "key" not in by_id["without-one"]
    text = keyed.server.client.get("/metrics", headers=bearer(PLAIN)).text
    assert re.search(r'kokoro_key_requests_total\{key="few",outcome="ok"\} [1-9]', text)
    assert re.search(r'kokoro_key_characters_total\{key="few"\} [1-9]', text)
    assert set(re.findall(r'key="([^"]*)"', text)) <= {"few", "frugal", "refused"}
    log = "".join(keyed.server.log)
    for secret in (FEW, FRUGAL, PLAIN):
        assert secret not in log + text


def test_a_key_is_heard_with_its_lexicon_at_every_door(keyed):
    assert keyed.normalized(FEW) == "Hi Greg!"
    assert keyed.normalized(PLAIN) == "Hi Grzegorz!"

    def in_session(key, text):
        with SpeechSocket(keyed.server.url, bearer(key)) as session:
            session.exchange("config", "ready", speed=2.0)
            session.say(text)
            session.finish()
            return session.pcm

    for said in (
        lambda key, text: keyed.post("/synthesize", key, text=text, speed=2.0).raise_for_status().content,
        lambda key, text: keyed.post("/v1/audio/speech", key, input=text, voice="nova").raise_for_status().content,
        in_session,
    ):
        assert said(FEW, "Grzegorz.") == said(PLAIN, "Greg.") != said(PLAIN, "Grzegorz.")


def test_the_lexicon_of_a_request_wins_over_that_of_its_key(keyed):
    assert keyed.normalized(FEW, lexicon={"grzegorz": "Gregory", "Hi": "/hˈI/"}) == "Hi Gregory!"
    assert keyed.normalized(FEW, lexicon={"Hi": "Hello"}) == "Hello Greg!"


@pytest.mark.own_server
def test_files_are_read_again_on_sighup_and_a_bad_one_changes_nothing(keyed):
    keyed.write(f"{KEYS}leaving:{LEAVING}\n")
    keyed.teach("frugal", "Gregorio")
    keyed.hang_up("reloaded: the lexicon, 5 keys and 2 lexicons of keys")
    assert keyed.normalized(FRUGAL) == "Hi Gregorio!"
    # What was used stays used.
    assert keyed.post("/synthesize", FRUGAL, text=TEXT).status_code == 429
    with SpeechSocket(keyed.server.url, bearer(LEAVING)) as session:
        session.say("Yes.\n")
        session.until("audio")
        keyed.write(KEYS)
        keyed.hang_up("reloaded: the lexicon, 4 keys and 2 lexicons of keys")
        assert keyed.post("/phonemize", LEAVING, text=TEXT).status_code == 401
        # Its session says nothing more, and may come to its end.
        session.say("Never again.\n")
        assert session.until("error")["error"]["code"] == "unauthorized"
        session.finish()
    keyed.write(f"{KEYS}leaving:short\n")
    line = keyed.hang_up("nothing is reloaded")
    assert f"{keyed.keys}, line 6: a key must have at least 16 characters" in line
    keyed.write(f"{KEYS}leaving:{LEAVING}\n")
    (keyed.lexicons / "few.toml").write_text("[[entry]]\nword = 5\n", encoding="utf-8")
    line = keyed.hang_up("nothing is reloaded")
    assert f"{keyed.lexicons / 'few.toml'}: entry 1 (5): word must be a string" in line
    assert keyed.normalized(FEW) == "Hi Greg!"
    assert keyed.post("/phonemize", LEAVING, text=TEXT).status_code == 401
    keyed.teach("few", "Greg")
    keyed.teach("stranger", "Nobody")
    keyed.hang_up("reloaded: the lexicon, 5 keys and 3 lexicons of keys")
    warning = "lexicons_dir: stranger.toml is not used, for no key has this name"
    assert sum(warning in line for line in keyed.server.log) == 1
