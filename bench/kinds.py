"""Texts of very different kinds, each as the body of a request.

Prose and texts with numbers are those of `bench.reading`; the numbers are followed by other text.
"""

from __future__ import annotations

import re

from bench.reading import numbers_of, sentences_of

Body = dict[str, object]

TWO_WORDS = (
    "Good morning.", "Thank you.", "Not yet.", "Who's there?", "Come in!", "Try again.",
    "Never mind.", "All right.", "Turn left.", "Really, now?", "Two tickets.", "Wait, please.",
)  # fmt: skip
MARKUP: tuple[Body, ...] = (
    {"text": "[Kokoro](/kˈOkəɹO/) says: [pause:0.5s] this is [not](+1) what I [meant](-1)."},
    {"text": "See [the manual](https://example.org/manual), *section three*, and `call` again."},
    {
        "text": '<speak>Hello <break time="500ms"/> world. <prosody rate="90%">This is '
        "<emphasis>slower</emphasis>.</prosody></speak>",
        "ssml": True,
    },
    {
        "text": '<speak><s>Call <say-as interpret-as="telephone">555 123 4567</say-as></s>'
        '<voice name="bf_emma">and ask for the other voice.</voice></speak>',
        "ssml": True,
    },
)
VOICES = {
    "en-gb": "bf_emma",
    "es": "ef_dora",
    "fr": "ff_siwis",
    "hi": "hf_alpha",
    "it": "if_sara",
    "ja": "jf_nezumi",
    "pt-br": "pf_dora",
    "zh": "zf_xiaobei",
}
"""Voices of the languages other than the default voice's."""

FOREIGN = "other languages"
"""The kind that these voices say."""

_USUAL_LANGUAGE = "en-us"
_MANY, _FEW = 12, 4
_PARAGRAPH_LENGTH = 600
_MINUTE_LENGTH = 1000
"""Characters that the default voice says in a minute without punctuation."""


def kinds() -> dict[str, list[Body]]:
    """Return texts by kind; each kind has a multiple of four."""
    prose = sentences_of(_USUAL_LANGUAGE)
    numbers = [text for text in numbers_of(_USUAL_LANGUAGE) if re.search(r"\d.{12}", text)]
    return {
        "two words": [{"text": text} for text in TWO_WORDS],
        "sentence": [{"text": text} for text in _spread(prose)],
        "numbers": [{"text": text} for text in _spread(numbers)],
        "markup": list(MARKUP),
        FOREIGN: [
            {"text": " ".join(sentences_of(language)[:3]), "voice": voice}
            for language, voice in VOICES.items()
        ],
        "paragraph": [{"text": text} for text in _joined(prose, _PARAGRAPH_LENGTH)],
        "without punctuation": [
            {"text": _without_punctuation(text)} for text in _joined(prose, _MINUTE_LENGTH)
        ],
    }


def minute() -> str:
    """Return a text without punctuation that takes a minute to say."""
    return _without_punctuation(_joined(sentences_of(_USUAL_LANGUAGE), _MINUTE_LENGTH)[0])


def _spread(texts: list[str]) -> list[str]:
    """Return some texts, evenly spaced."""
    return texts[:: len(texts) // _MANY][:_MANY]


def _joined(sentences: list[str], length: int) -> list[str]:
    """Return texts of successive sentences, each of at least `length` characters."""
    texts, text = [], ""
    for sentence in sentences:
        text = f"{text} {sentence}".lstrip()
        if len(text) >= length:
            texts.append(text)
            text = ""
    return texts[:_FEW]


def _without_punctuation(text: str) -> str:
    return re.sub(r"[^a-z' ]", "", text.lower().replace("-", " "))
