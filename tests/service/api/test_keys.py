"""API keys: the lines of their file, what each has used of its limits, their lexicons, and SIGHUP."""

import asyncio
import hmac
import json
import logging
import re
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from service.api import api_keys
from service.api.api_keys import ApiKey, ApiKeys, KeyLimits, read_keys
from service.api.callers import Callers
from service.errors import KeyLimitError, SettingsError, UnauthorizedError
from service.settings import Settings
from service.speech import Utterance
from service.text import UserLexicon
from tests.service.api.asgi_server import read_answer
from tests.service.api.serving_process import write
from tests.service.api.speech_client import KEY, OTHER_KEY, assert_refused, bearer, connect, wait_until
from tests.service.api.speech_socket import SpeechSocket, refused

SECRETS = (KEY, "short", "secr", "0123456789")


def test_each_key_of_the_file_is_found_and_nothing_else(key_file):
    keys = ApiKeys.read(key_file)
    assert len(keys) == 2
    for key in (KEY, OTHER_KEY):
        found = keys.find(key)
        assert found is not None
        assert (found.name, found.limits) == (None, KeyLimits())
        assert keys.get(found.digest) is found
    for wrong in ("", KEY[:-1], KEY + "x", KEY.upper(), KEY + OTHER_KEY, f" {KEY}", "# ours", "\ud800" * 20):
        assert keys.find(wrong) is None


@pytest.mark.parametrize("candidate", [KEY, OTHER_KEY, "nobody"])
def test_a_candidate_is_compared_with_every_key_whichever_it_is(monkeypatch, candidate):
    compared = []

    class Watched:
        @staticmethod
        def compare_digest(one, other):
            compared.append(len(one))
            return hmac.compare_digest(one, other)

    monkeypatch.setattr(api_keys, "hmac", Watched)
    assert (ApiKeys([ApiKey.of(KEY), ApiKey.of(OTHER_KEY)]).find(candidate) is None) == (candidate == "nobody")
    assert compared == [32, 32]


def test_keys_are_not_in_what_is_printed_of_them():
    key = ApiKey.of(KEY, "robot")
    keys = ApiKeys([key])
    printed = repr(keys) + str(keys) + str(vars(keys)) + repr(key)
    assert KEY not in printed
    assert repr(key.digest) not in repr(key)


@pytest.mark.parametrize(("line", "name", "key", "limits"), [
    (f"robot:{KEY}", "robot", KEY, KeyLimits()), (f"  robot:{KEY}  requests=4", "robot", KEY, KeyLimits(4)),
    (f"a.b-c_9:{KEY} characters_per_day=100000\trequests=1", "a.b-c_9", KEY, KeyLimits(1, 100_000)),
    (f"robot:{KEY}:{KEY}", "robot", f"{KEY}:{KEY}", KeyLimits()), (f"{'n' * 32}:{KEY}", "n" * 32, KEY, KeyLimits()),
    # No name has such a form, so the colon is a part of the key.
    (f"{'n' * 33}:{KEY}", None, f"{'n' * 33}:{KEY}", KeyLimits()),
    (f"Robot:{KEY}", None, f"Robot:{KEY}", KeyLimits()), (f":{KEY}", None, f":{KEY}", KeyLimits()),
    (f"a/b:{KEY}", None, f"a/b:{KEY}", KeyLimits()),
])  # fmt: skip
def test_a_line_is_a_key_or_a_name_and_a_key_with_limits(tmp_path, line, name, key, limits):
    (found,) = keys = ApiKeys.read(write(tmp_path / "keys", f"{line}\n".encode()))
    assert keys.find(key) is found
    assert (found.name, found.limits) == (name, limits)


@pytest.mark.parametrize(("content", "line", "reason"), [
    (f"{KEY}\nshort\n", 2, "at least 16 characters"), (f"{KEY}\n\n{KEY}\n", 3, "the same key as in line 1"),
    (f"{KEY}\nsecret-0123456789 with white space\n", 2, "no spaces"),
    (f"# the next is not ASCII\nsecrét-{KEY}\n", 2, "printable ASCII"), (f"secret\x07-{KEY}\n", 1, "printable ASCII"),
    (f"robot:short\n{KEY}\n", 1, "after its name and the colon"),
    (f"robot:{KEY}\nother:{KEY}\n", 2, "the same key as in line 1"),
    (f"robot:{KEY}\nrobot:{OTHER_KEY}\n", 2, "the same name as in line 1"),
    (f"{KEY} requests=4\n", 1, "after NAME:KEY"), (f"robot:{KEY} requests=0\n", 1, "from 1"),
    (f"robot:{KEY} requests=-1\n", 1, "from 1"), (f"robot:{KEY} requests=1.5\n", 1, "requests=NUMBER"),
    (f"robot:{KEY} requests=1 requests=2\n", 1, "each once"), (f"robot:{KEY} requests = 1\n", 1, "requests=NUMBER"),
    (f"robot:{KEY} characters=5\n", 1, "characters_per_day=NUMBER"),
    (f"robot:{KEY} secret-0123456789\n", 1, "requests=NUMBER"),
])  # fmt: skip
def test_a_bad_line_is_named_by_its_number_without_the_key(tmp_path, content, line, reason):
    file = write(tmp_path / "keys", content.encode())
    with pytest.raises(SettingsError, match=rf"{file}, line {line}: .*{reason}") as caught:
        ApiKeys.read(file)
    for secret in SECRETS:
        assert secret not in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("content", [b"", b"\n \n# nothing\n"])
def test_a_file_without_a_key_is_refused(tmp_path, content):
    with pytest.raises(SettingsError, match="the file has no key"):
        ApiKeys.read(write(tmp_path / "keys", content))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    for path, reason in ((tmp_path / "none", r"none: No such file"), (tmp_path, r"Is a directory")):
        with pytest.raises(SettingsError, match=reason):
            ApiKeys.read(path)


@pytest.mark.parametrize(("mode", "n_warnings"), [(0o604, 1), (0o640, 0)])
def test_a_file_that_everyone_can_read_is_warned_of_once(key_file, mode, n_warnings, caplog):
    key_file.chmod(mode)
    ApiKeys.read(key_file)
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * n_warnings
    assert KEY not in caplog.text


def test_no_file_is_no_keys(key_file):
    assert read_keys(Settings()) is None
    assert read_keys(Settings(api_keys_file=key_file)) is not None


# What each key has used of its limits, at a time that a test sets.


NOON = datetime(2026, 3, 14, 12, tzinfo=timezone.utc)
ROBOT = ApiKey.of("key of the robot", "robot", KeyLimits(2, 100))
GUEST = ApiKey.of("key of the guest", "guest")
NAMELESS = ApiKey.of("key of nobody")


@pytest.fixture
def clock():
    return SimpleNamespace(now=NOON)


@pytest.fixture
def callers(clock):
    return Callers(ApiKeys([ROBOT, GUEST, NAMELESS]), now=lambda: clock.now)


def test_a_key_has_so_many_places_and_each_is_freed_once(callers):
    with callers.request(ROBOT), ExitStack() as stack:
        free = stack.enter_context(callers.request(ROBOT))
        for _ in range(2):
            with pytest.raises(KeyLimitError, match="robot may have 2"), callers.request(ROBOT):
                pass
        free()
        free()
        stack.enter_context(callers.request(ROBOT))
        with pytest.raises(KeyLimitError), callers.request(ROBOT):
            pass
    with callers.request(ROBOT), callers.request(ROBOT):
        pass


def test_what_a_text_has_more_in_words_counts_for_the_next(callers):
    with callers.request(ROBOT):
        callers.charge(60)
        callers.note(500)  # it is spoken already
        with pytest.raises(KeyLimitError, match="has 0 of 100 characters left"):
            callers.charge(1)
    with callers.request(GUEST):
        callers.charge(1)
    callers.note(500)  # of nobody's


def test_keys_without_limits_have_none(callers):
    for key in (GUEST, NAMELESS):
        with ExitStack() as stack:
            for _ in range(100):
                stack.enter_context(callers.request(key))
            callers.charge(1_000_000)


def test_a_day_has_so_many_characters_and_the_next_day_as_many(callers, clock):
    with callers.request(ROBOT):
        callers.charge(60)
        with pytest.raises(KeyLimitError, match="40 of 100 characters left") as refused:
            callers.charge(41)
        assert refused.value.retry_after_s == 12 * 3600
        callers.charge(40)  # what was refused was not counted
        clock.now = NOON + timedelta(hours=11, minutes=59, seconds=59, milliseconds=500)
        with pytest.raises(KeyLimitError) as refused:
            callers.charge(1)
        assert refused.value.retry_after_s == 1
        clock.now = NOON + timedelta(hours=12)
        callers.charge(100)
        with pytest.raises(KeyLimitError) as refused:
            callers.charge(1)
        assert refused.value.retry_after_s == 86_400


def test_what_is_taken_back_is_not_counted(callers, clock):
    with callers.request(ROBOT):
        take_back = callers.charge(60)
        with pytest.raises(KeyLimitError):  # meanwhile it is counted
            callers.charge(50)
        take_back()
        take_back()
        yesterday = callers.charge(100)
        clock.now = NOON + timedelta(days=1)
        callers.charge(40)
        yesterday()
        with pytest.raises(KeyLimitError, match="60 of 100 characters left"):
            callers.charge(61)


def test_who_has_no_key_is_not_counted(callers):
    callers.charge(1_000_000)()
    assert callers.adapt(Utterance("a")) == Utterance("a")
    assert Callers(None).keys is None


def test_the_key_goes_with_the_tasks_of_its_request(callers):
    async def work(key, n_characters):
        with callers.request(key):
            await asyncio.gather(*(spend() for _ in range(n_characters)))

    async def spend():
        await asyncio.sleep(0)
        callers.charge(1)

    async def scenario():
        await asyncio.gather(work(ROBOT, 60), work(GUEST, 60), work(ROBOT, 40))
        with pytest.raises(KeyLimitError, match="0 of 100"):
            await work(ROBOT, 1)

    asyncio.run(scenario())


def test_what_was_used_stays_when_keys_are_replaced(callers):
    with callers.request(ROBOT):
        callers.charge(90)
        wider = ApiKey(b"another digest", "robot", KeyLimits(1, 120))
        callers.replace(ApiKeys([ROBOT, wider]), {})
        with callers.request(GUEST), pytest.raises(UnauthorizedError, match="no longer known"):
            callers.charge(1)
        with pytest.raises(KeyLimitError), callers.request(wider):
            pass
    with callers.request(wider):
        callers.charge(30)
        with pytest.raises(KeyLimitError, match="0 of 120"):
            callers.charge(1)


def test_a_key_has_its_lexicon_below_that_of_the_request(callers):
    lexicon = UserLexicon.of_words({"Grzegorz": "Greg"})
    callers.replace(callers.keys, {"robot": lexicon})
    own = Utterance("Grzegorz", lexicon=UserLexicon.of_words({"Grzegorz": "Gregory"}))
    with callers.request(ROBOT):
        assert callers.adapt(Utterance("Grzegorz")).lexicon is lexicon
        both = callers.adapt(own).lexicon
        assert both is not None
        assert list(both.respellings) == ["Gregory", "Greg"]
    with callers.request(GUEST):
        assert callers.adapt(own) is own


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


@pytest.mark.thorough
def test_who_has_not_sent_its_body_yet_takes_a_place_of_its_key(keyed):
    body = json.dumps({"text": TEXT, **FAST}).encode()
    head = f"POST /synthesize HTTP/1.1\r\nhost: localhost\r\nx-api-key: {FEW}\r\ncontent-length: {len(body)}\r\n"
    with ExitStack() as stack:
        waiting = [stack.enter_context(connect(keyed.server)) for _ in range(4)]
        for connection in waiting:
            connection.sendall(head.encode() + b"content-type: application/json\r\n\r\n")
        wait_until(lambda: keyed.post("/phonemize", FEW, text=TEXT).status_code == 429)
        answer = keyed.post("/synthesize", FEW, text=TEXT)
        assert_refused(answer, 429, "key_limit")
        assert answer.headers["retry-after"] == "1"
        # Sessions count like requests, and other keys do not.
        assert refused(SpeechSocket, keyed.server.url, bearer(FEW)).status_code == 429
        assert keyed.post("/synthesize", PLAIN, text=TEXT, **FAST).status_code == 200
        for connection in waiting:
            connection.sendall(body)
        assert [read_answer(connection).status for connection in waiting] == [200] * 4


@pytest.mark.thorough
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
    while keyed.post("/synthesize", FRUGAL, text=TEXT, **FAST).status_code == 200:
        pass  # until the day has no characters left
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
