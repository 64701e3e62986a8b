"""When each word is said, and where it stands in the caller's text."""

import base64
import itertools
import re

import numpy as np
import pytest

from tests.service.api.speech_client import parse_events, speak

# Fast, to be done soon; several chunks when cut early.
TEXT = (
    "😀 Dr. Smith paid $5.50 in 1984 for 3 apples.  It wasn't much — don't you think?\n"
    "The rest of the “money”, e.g. 1,000 coins, is café-bound: naïve!"
)
WORDS = [
    "Dr.", "Smith", "paid", "$5.50", "in", "1984", "for", "3", "apples", "It", "wasn't",
    "much", "don't", "you", "think", "The", "rest", "of", "the", "money", "e.g.", "1,000", "coins",
    "is", "café-bound", "naïve",
]  # fmt: skip
SPOKEN = {"text": TEXT, "speed": 2.0, "format": "pcm"}


def timed(server, **fields):
    answer = speak(server, **fields)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def samples_of(content):
    return np.frombuffer(base64.b64decode(content, validate=True), "<i2").astype(np.float64)


def loudness(samples, start_s, end_s):
    return float(np.sqrt(np.mean(np.square(samples[round(start_s * 24_000) : round(end_s * 24_000)]))))


def assert_in_order(words, duration_s):
    """Times and offsets never go back, and are inside the audio."""
    times = [time for word in words for time in (word["start_s"], word["end_s"])]
    assert [0.0, *times, duration_s] == sorted([0.0, *times, duration_s])
    assert all(word["text_start"] < word["text_end"] for word in words)
    assert all(word["text_end"] <= following["text_start"] for word, following in itertools.pairwise(words))


def merged(words):
    """One for each word; one that is said in two chunks is told of with both."""
    result = []
    for word in words:
        if result and result[-1]["text_start"] == word["text_start"]:
            parts = result[-1]["visemes"] + word["visemes"]
            result[-1] = {**result[-1], "end_s": word["end_s"], "visemes": parts}
        else:
            result.append(word)
    return result


@pytest.fixture(scope="module")
def answer(remembering):
    return timed(remembering, timestamps="word", chunking="early", **SPOKEN)


def test_the_answer_is_the_audio_with_its_length_and_format(remembering, answer):
    plain = speak(remembering, chunking="early", **SPOKEN)
    assert int(plain.headers["x-chunk-count"]) >= 3
    assert base64.b64decode(answer["audio"], validate=True) == plain.content
    assert (answer["format"], answer["sample_rate_hz"]) == ("pcm", 24_000)
    assert answer["duration_s"] == pytest.approx(len(plain.content) / 48_000, abs=1e-6)
    assert set(answer) == {"audio", "format", "sample_rate_hz", "duration_s", "words", "dropped"}


def test_every_word_of_the_text_has_a_time_and_its_place(answer):
    words = answer["words"]
    assert [word["text"] for word in words] == WORDS
    assert [TEXT[word["text_start"] : word["text_end"]] for word in words] == WORDS
    assert {name for word in words for name in word} == {"text", "text_start", "text_end", "start_s", "end_s"}
    assert_in_order(words, answer["duration_s"])


@pytest.mark.thorough
def test_times_do_not_depend_on_how_the_text_is_cut_but_for_the_joints(remembering, answer):
    even = timed(remembering, timestamps="word", **SPOKEN)
    assert [w["text_start"] for w in even["words"]] == [w["text_start"] for w in answer["words"]]
    assert_in_order(even["words"], even["duration_s"])
    shares = [[word["start_s"] / one["duration_s"] for word in one["words"]] for one in (even, answer)]
    assert shares[0] == pytest.approx(shares[1], abs=0.1)


@pytest.mark.thorough
def test_a_stream_tells_the_words_that_begin_in_a_chunk_with_it(server, remembering):
    answer = timed(remembering, timestamps="viseme", decoding="windows", **SPOKEN)
    response = speak(server, timestamps="viseme", stream=True, **SPOKEN)
    assert response.headers["content-type"].startswith("text/event-stream")
    *chunks, (last, done) = parse_events(response.text)
    assert last == "done"
    assert len(chunks) >= 3
    words = []
    end_s = 0.0
    for name, chunk in chunks:
        assert name == "audio"
        assert chunk["start_s"] == end_s
        end_s = chunk["end_s"]
        assert samples_of(chunk["audio"]).size == round((end_s - chunk["start_s"]) * 24_000)
        for word in chunk["words"]:
            assert chunk["start_s"] <= word["start_s"] < chunk["end_s"]
            assert word["start_s"] <= word["end_s"] <= done["duration_s"]
        words += chunk["words"]
    assert end_s == done["duration_s"] == answer["duration_s"]
    assert merged(words) == answer["words"]


def test_phonemes_fill_their_word(remembering, answer):
    deep = timed(remembering, timestamps="phoneme", chunking="early", **SPOKEN)
    assert deep["audio"] == answer["audio"]
    said = {word["text"]: "".join(p["symbol"] for p in word["phonemes"]) for word in deep["words"]}
    for word, plain in zip(deep["words"], answer["words"], strict=True):
        phonemes = word.pop("phonemes")
        assert word == plain
        assert phonemes[0]["start_s"] == word["start_s"]
        assert phonemes[-1]["end_s"] == word["end_s"]
        for phoneme, following in itertools.pairwise(phonemes):
            assert phoneme["start_s"] <= phoneme["end_s"] <= following["start_s"]
            assert len(phoneme["symbol"]) == 1
    # Numbers and abbreviations were spelled out, and are told as they were written.
    assert said["1984"].startswith("nˌIntˈin")
    assert said["Dr."].startswith("d")
    assert "k" in said["Dr."]


def test_visemes_fill_their_word(remembering, answer):
    shown = timed(remembering, timestamps="viseme", chunking="early", **SPOKEN)
    assert shown == timed(remembering, timestamps="visemes", chunking="early", **SPOKEN)
    assert timed(remembering, timestamps="phonemes", text="Yes.") == timed(
        remembering, timestamps="phoneme", text="Yes."
    )
    for word, plain in zip(shown["words"], answer["words"], strict=True):
        visemes = word.pop("visemes")
        assert word == plain
        assert (visemes[0]["start_s"], visemes[-1]["end_s"]) == (word["start_s"], word["end_s"])
        for viseme, following in itertools.pairwise(visemes):
            assert viseme["end_s"] == following["start_s"]
        assert all(set(viseme) == {"name", "oculus", "azure", "start_s", "end_s"} for viseme in visemes)
    assert speak(remembering, text="a", timestamps="lips").status_code == 422


@pytest.mark.thorough
def test_closed_lips_are_quieter_than_open_ones(real_remembering):
    text = "A pepper, a paper, a puppet and a tape upon a top."
    answer = timed(real_remembering, text=text, timestamps="viseme", format="pcm")
    samples = samples_of(answer["audio"])
    visemes = [viseme for word in answer["words"] for viseme in word["visemes"]]

    def loud(name):
        found = [loudness(samples, v["start_s"], v["end_s"]) for v in visemes if v["name"] == name]
        assert len(found) > 5
        return np.median(found)

    assert loud("PP") < 0.5 * loud("aa")  # measured: a fourth


def test_between_sentences_it_is_quiet_where_the_times_say_so(real_remembering):
    text = "Bananas are yellow. Lemons are yellow too. Melons are green."
    answer = timed(real_remembering, text=text, timestamps="word", format="pcm")
    samples = samples_of(answer["audio"])
    words = answer["words"]
    assert len(words) == 10
    spoken = [loudness(samples, word["start_s"], word["end_s"]) for word in words]
    gaps = []
    for word, following in itertools.pairwise(words):
        gap_s = following["start_s"] - word["end_s"]
        if gap_s > 0.15:
            # The middle half: the durations are whole frames of 25 ms, and sound runs over.
            start_s = word["end_s"] + gap_s / 4
            gaps.append(loudness(samples, start_s, start_s + gap_s / 2))
    assert len(gaps) == 2
    assert max(gaps) < 0.15 * min(spoken)
    # Nothing is said before the first word or after the last.
    assert loudness(samples, 0, words[0]["start_s"] - 0.15) < 0.02 * min(spoken)
    assert loudness(samples, words[-1]["end_s"] + 0.05, answer["duration_s"]) < 0.02 * min(spoken)


def test_phonemes_have_their_words_too(server):
    phonemes = " həlˈO  wˈɜɹld, ðɪs  ɪz "
    answer = timed(server, phonemes=phonemes, timestamps="word", format="pcm", speed=2.0)
    assert [word["text"] for word in answer["words"]] == ["həlˈO", "wˈɜɹld", "ðɪs", "ɪz"]
    for word in answer["words"]:
        assert phonemes[word["text_start"] : word["text_end"]] == word["text"]
    assert_in_order(answer["words"], answer["duration_s"])
    assert "həlˈO wˈɜɹld, ðɪs ɪz" in speak(server, phonemes=phonemes, format="srt", speed=2.0).text


def seconds(stamp):
    hours, minutes, rest = stamp.replace(",", ".").split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def test_subtitles_cover_the_text_in_its_times(remembering, answer):
    fields = {**SPOKEN, "chunking": "early"}
    srt, vtt = (speak(remembering, **{**fields, "format": one}) for one in ("srt", "vtt"))
    assert srt.headers["content-type"].startswith("application/x-subrip")
    assert vtt.headers["content-type"].startswith("text/vtt")
    blocks, cues = srt.content.decode().strip().split("\n\n"), []
    for number, block in enumerate(blocks, start=1):
        count, times, *lines = block.split("\n")
        assert count == str(number)
        begin, end = re.fullmatch(r"(\d\d:\d\d:\d\d,\d{3}) --> (\d\d:\d\d:\d\d,\d{3})", times).groups()
        cues.append((seconds(begin), seconds(end), " ".join(lines)))
    assert " ".join(text for *_, text in cues) == " ".join(TEXT.split())
    assert cues[0][0] == pytest.approx(answer["words"][0]["start_s"], abs=1e-3)
    assert cues[-1][1] == pytest.approx(answer["words"][-1]["end_s"], abs=1e-3)
    assert all(begin < end for begin, end, _ in cues)
    assert all(cue[1] <= following[0] for cue, following in itertools.pairwise(cues))
    header, *others = vtt.content.decode().strip().split("\n\n")
    assert header == "WEBVTT"
    assert [other.replace(".", ",") for other in others] == [
        block.split("\n", 1)[1].replace(".", ",") for block in blocks
    ]
    for one in ("srt", "vtt"):
        assert speak(remembering, text="a", format=one, timestamps="word").status_code == 422


def test_subtitles_show_the_text_without_its_markup(server):
    for fields, shown in (
        ({"text": "[Kokoro](/kˈOkəɹO/) is [very](+1) good.[pause:1s] Yes."}, ["Kokoro is very good.", "Yes."]),
        ({"text": "<speak>Say <sub alias='hello'>hi</sub> &amp; go.</speak>", "ssml": True}, ["Say hello & go."]),
    ):
        blocks = speak(server, format="srt", **fields).text.strip().split("\n\n")
        assert [block.split("\n", 2)[2] for block in blocks] == shown
