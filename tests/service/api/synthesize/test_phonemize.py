"""What will be said, and how: /phonemize, /languages, and the user's lexicon."""

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from service.api.synthesize.router import phonemize as phonemize_at_the_door
from service.api.synthesize.schemas import PhonemizeRequest
from service.text import LANGUAGES, load_vocabulary
from tests.service.api.speech_client import speak


def phonemize(server, **fields):
    return server.client.post("/phonemize", json=fields)


def said(server, **fields):
    response = phonemize(server, **fields)
    assert response.status_code == 200, response.text
    return response.json()


def test_sources_of_words_are_told_on_request(server):
    text = "Zuckerberg took the lead in Łęcka's 12 [Bort](/bˈɔɹt/) tests."
    words = [word for chunk in said(server, text=text, explain=True)["chunks"] for word in chunk["words"]]
    found = {word["text"]: word["source"] for word in words}
    assert found["Zuckerberg"] == "cmudict"
    assert found["lead"].startswith("homograph lead_")
    assert found["Łęcka's"] == "name pl"
    assert found["12"] == "lexicon"
    assert found["Bort"] == "caller"
    plain = said(server, text=text)
    assert all(word["source"] is None for chunk in plain["chunks"] for word in chunk["words"])


def test_the_answer_tells_what_will_be_said_and_how(server):
    text = "Dr. Smith paid $5.50 😀 on Main St. today. [pause:0.5s] He left."
    answer = said(server, text=text)
    assert answer["language"] == "en-us"
    assert answer["normalized"] == ("Doctor Smith paid five dollars and fifty cents on Main Street today. He left.")
    assert load_vocabulary().unknown(answer["phonemes"]) == []
    first, second = answer["chunks"]
    assert f"{first['phonemes']} {second['phonemes']}" == answer["phonemes"]
    read = {word["text"]: word["phonemes"] for word in first["words"]}
    assert read["Dr."] == "dˈɑktəɹ"
    assert read["$5.50"] == "fˈIv dˈɑləɹz ænd fˈɪfti sˈɛnts"
    for word in first["words"] + second["words"]:
        assert text[word["text_start"] : word["text_end"]] == word["text"]
    assert (first["text_start"], first["pause_s"]) == (0, 0.5)
    assert text[second["text_start"] : second["text_end"]] == "He left"
    assert second["pause_s"] is None
    assert answer["dropped"] == [{"text": "😀", "text_start": 21, "text_end": 22}]
    assert text[21] == "😀"


def test_the_answer_explains_what_was_decided(server):
    text = "<speak>On <sub alias='may'>m</sub> the odds 😀 were 5/2.</speak>"
    answer = said(server, text=text, ssml=True, explain=True)
    found = {decision["text"]: decision for decision in answer["decisions"]}
    decision = found["5/2"]
    assert text[decision["text_start"] : decision["text_end"]] == "5/2"
    chosen, *others = decision["options"]
    assert chosen["said"] in answer["normalized"]
    scores = [option["score"] for option in others]
    assert len(scores) > 2
    assert scores == sorted(scores, reverse=True)
    assert sum(option["probability"] for option in decision["options"]) <= 1.001
    assert any(reason["weight"] for option in decision["options"] for reason in option["reasons"])
    assert all(len(text) >= option["text_end"] > decision["text_start"] for option in decision["options"])
    assert said(server, text="Le 5/2.", language="fr", explain=True)["decisions"] == []
    assert said(server, text="5/2", normalize=False, explain=True)["decisions"] == []
    assert "decisions" not in said(server, text="5/2")


def test_the_phonemes_are_what_the_text_is_said_by(server):
    text = "On 3/15/2024 at 7:05, 12 km away."
    assert speak(server, text=text).content == speak(server, phonemes=said(server, text=text)["phonemes"]).content


def test_normalizing_can_be_switched_off_and_markup_is_understood(server):
    answer = said(server, text="Dr. Smith — 5 km.", normalize=False)
    assert answer["normalized"] == "Dr. Smith — 5 km."
    assert answer["phonemes"] != said(server, text="Dr. Smith — 5 km.")["phonemes"]
    answer = said(server, text="<speak>One <sub alias='World Wide Web'>WWW</sub><break time='2s'/></speak>", ssml=True)
    assert answer["normalized"] == "One World Wide Web"
    assert [chunk["pause_s"] for chunk in answer["chunks"]] == [2.0]
    # A pause alone has no place of words.
    assert said(server, text="[pause:1s]")["chunks"] == [
        {"phonemes": "", "text_start": None, "text_end": None, "pause_s": 1.0, "words": []}
    ]


def test_what_cannot_be_read_is_refused(server):
    for fields, status, code in (
        ({"text": ""}, 422, "empty_text"), ({"text": "... !"}, 422, "nothing_to_say"),
        ({"text": "Ꭰ."}, 422, "invalid_text"), ({"text": "\ue000 \x1b"}, 422, "nothing_to_say"),
        ({"text": "[pause:1h]"}, 422, "invalid_markup"),
        ({"text": "a", "language": "tlh"}, 422, "language_unavailable"),
        ({"text": "a", "voice": "af_nobody"}, 422, "unknown_voice"), ({"text": "a" * 20_001}, 413, "text_too_long"),
        ({}, 422, "invalid_request"), ({"text": "a", "phonemes": "a"}, 422, "invalid_request"),
    ):  # fmt: skip
        response = phonemize(server, **fields)
        assert (response.status_code, response.json()["error"]["code"]) == (status, code), fields


@pytest.mark.thorough
def test_its_memory_counts_among_that_of_answers(synthesizer):
    held = []

    @contextmanager
    def admit(held_bytes):
        held.append(held_bytes)
        before = held_bytes()
        yield
        assert held_bytes() > 1.5 * before >= 1_500_000

    async def own(model):
        return synthesizer

    with ThreadPoolExecutor(1) as executor:
        state = SimpleNamespace(
            admission=SimpleNamespace(request=admit), callers=SimpleNamespace(adapt=lambda utterance: utterance),
            executor=executor, synthesizer=own, settings=SimpleNamespace(auto_ssml=()),
        )  # fmt: skip
        request = SimpleNamespace(app=SimpleNamespace(state=SimpleNamespace(service=state)))
        answer = asyncio.run(phonemize_at_the_door(PhonemizeRequest(text="½ " * 1_000), request))
    assert len(answer.body) < held[0]()


def test_languages_tell_what_there_is(server):
    languages = server.client.get("/languages").json()["languages"]
    assert [language["code"] for language in languages] == list(LANGUAGES)
    by_code = {language["code"]: language for language in languages}
    assert by_code["es"] == {
        "code": "es", "name": "Spanish", "available": True, "reader": "espeak-ng", "extra": None, "voices": 3,
    }  # fmt: skip
    assert by_code["ja"]["extra"] == "ja"
    assert sum(language["voices"] for language in languages) == 54
    for language in languages:
        text = {"ja": "こんにちは", "zh": "你好", "hi": "नमस्ते"}.get(language["code"], "Taxi")
        assert phonemize(server, text=text, language=language["code"]).is_success == language["available"]


ENTRY = '[[entry]]\nword = "Grzegorz"\nrespelling = "{}"\nlanguage = "en"\n'


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "lexicon.toml"
    path.write_text(ENTRY.format("Greg"), encoding="utf-8")
    return path


@pytest.mark.own_server
@pytest.mark.thorough
def test_the_lexicon_is_read_again_on_sighup(start_server, lexicon):
    server = start_server("--lexicon", str(lexicon), "--emoji", "name")
    server.wait_until_ready()
    assert said(server, text="Hi Grzegorz!")["normalized"] == "Hi Greg!"
    lexicon.write_text(ENTRY.format("Gregory"), encoding="utf-8")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for("reloaded: the lexicon")
    assert said(server, text="Hi Grzegorz!")["normalized"] == "Hi Gregory!"
    lexicon.write_text("[[entry]]\nword = 5\n", encoding="utf-8")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for(f"nothing is reloaded: {lexicon}")
    assert said(server, text="Hi Grzegorz! 😀")["normalized"] == "Hi Gregory! grinning face"
    assert server.stop() == 0
