"""Any messages in any order, held against what docs/websocket.md promises."""

import contextlib
import json

import pytest
from hypothesis import Phase
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from tests.profiles import costly, given, many
from tests.service.api.speech_client import metric, wait_until
from tests.service.api.speech_socket import SpeechSocket

pytestmark = pytest.mark.thorough

TEXTS = ("Yes. ", "No.\n", "Hi, ", "a", " ", "", "\n", "—\n", "好。", "\N{GRINNING FACE}", "3.", '"', "\udc80")
CONFIGS = ({}, {"speed": 2.0}, {"voice": "bf_emma", "timestamps": "phoneme"}, {"language": "es"})
REFUSED = (
    '{"type": "config", "speed": 7}', '{"type": "config", "voice": "nobody"}', '{"type": "config", "language": ""}x',
    '{"type": "text"}', '{"type": "text", "text": 7}', '{"type": "flush", "now": true}', '{"type": "done"}', "NaN",
    b'{"type": "text", "text": "Hi"}',
)  # fmt: skip


def is_no_message(content):
    try:
        return not isinstance(json.loads(content), dict)
    except ValueError:
        return True


# A step is a message, or reading what has come up to a number of messages.
steps = st.one_of(
    st.tuples(st.just("text"), st.sampled_from(TEXTS)),
    st.tuples(st.just("text"), st.sampled_from(TEXTS)),
    st.tuples(st.just("flush"), st.none()),
    st.tuples(st.just("cancel"), st.none()),
    st.tuples(st.just("config"), st.sampled_from(CONFIGS)),
    st.tuples(st.just("refused"), st.sampled_from(REFUSED)),
    st.tuples(st.just("refused"), st.one_of(st.text(max_size=40), st.binary(max_size=40)).filter(is_no_message)),
    st.tuples(st.just("read"), st.integers(1, 3)),
)


def run(server, sequence, after_end):
    """Play a sequence, end the session, and hold what came against what was asked for."""
    expected = [("ready", 0)]
    n_refused = 0
    with SpeechSocket(server.url) as talk:
        for kind, value in sequence:
            if kind == "text":
                talk.say(value)
            elif kind == "config":
                talk.send("config", **value)
                expected.append(("ready", len(talk.text)))
            elif kind == "refused":
                talk.socket.send(value)
                n_refused += 1
            elif kind == "read":
                read(talk, expected, n_refused, value)
            else:
                talk.send(kind)
                expected.append((f"{kind}{'l' * (kind == 'cancel')}ed", len(talk.text)))
        talk.send("end")
        n_late, late_cancels = play_late(talk, after_end)
        assert talk.until_closed() == 1000
    check(talk, expected, n_refused, n_late, late_cancels)


def read(talk, expected, n_refused, limit):
    """Receive some of the answers that must come, so that the session is at any point of it."""
    owed = len(expected) + n_refused
    for _ in range(limit):
        if sum(is_answer(message) for message in talk.received) == owed:
            return
        talk.receive()


def play_late(talk, sequence):
    """Send messages after `end`; return how many are refused, and how many cancel, if in time."""
    n_refused = n_cancels = 0
    with contextlib.suppress(ConnectionClosed):
        for kind, value in sequence:
            n_cancels += kind == "cancel"
            n_refused += kind not in ("cancel", "read")
            if kind == "refused":
                talk.socket.send(value)
            elif kind != "read":
                talk.send(kind, **({"text": {"text": value}, "config": value}.get(kind) or {}))
    return n_refused, n_cancels


def is_answer(message):
    """Tell whether it answers a message, and is not told of some text."""
    return message["type"] not in ("audio", "skipped") and "text_start" not in message


def check(talk, expected, n_refused, n_late, late_cancels):
    received, text = talk.received, talk.text
    ends = [(m["type"], m.get("text_end", 0)) for m in received if is_answer(m) and m["type"] != "error"]
    # Each is answered once, in order; `ready` tells no place.
    assert ends[: len(expected)] == [(kind, 0 if kind == "ready" else place) for kind, place in expected]
    *late, last = ends[len(expected) :]
    assert last == ("done", len(text))
    assert late == [("cancelled", len(text))] * len(late)
    assert len(late) <= late_cancels
    assert received[-1]["type"] == "done"
    assert n_refused <= sum(m["type"] == "error" and "text_start" not in m for m in received) <= n_refused + n_late
    # Nothing of a text comes before the answers to what was asked before it, or after those to
    # what was asked behind it.
    places = iter([*expected, *late, last])
    floor, cancelled_at, n_heard = 0, 0, 0
    told = bytearray(len(text))
    for message in received:
        if is_answer(message):
            if message["type"] == "error":
                continue
            kind, place = next(places)
            assert n_heard <= place
            floor = place
            if kind == "cancelled":
                cancelled_at = place
        else:
            assert message["text_start"] >= floor
            n_heard = message["text_end"]
            for place in range(message["text_start"], message["text_end"]):
                told[place] = 1
    # All that was not cancelled was told of, but for white space.
    assert "".join([text[place] for place in range(cancelled_at, len(text)) if not told[place]]).strip() == ""


@costly(part=4, phases=(Phase.generate,))
@given(sequence=st.lists(steps, max_size=10), after_end=st.lists(steps, max_size=2))
def test_any_messages_are_answered_as_promised(remembering, sequence, after_end):
    run(remembering, sequence, after_end)


@pytest.mark.slow
@many(phases=(Phase.generate,))
@given(sequence=st.lists(steps, min_size=5, max_size=40), after_end=st.lists(steps, max_size=4))
def test_thousands_of_messages_are_answered_as_promised(remembering, sequence, after_end):
    run(remembering, sequence, after_end)


def test_no_session_is_left_open_and_none_has_failed(remembering):
    with SpeechSocket(remembering.url):
        assert metric(remembering, "kokoro_websockets_open") == 1
    wait_until(lambda: metric(remembering, "kokoro_websockets_open") == 0)
    assert not any(" ERROR " in line for line in remembering.log)
