"""SSML by default: what cannot be done is told, and all text is read."""

import contextlib
import random
import socket
import time
import xml.etree.ElementTree as ET
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import example
from hypothesis import strategies as st

from service.errors import MarkupError
from service.text import Notes, Pause, load_vocabulary, opens_ssml, parse, shown
from service.text.markup import Hint, Passage, alphabets, ssml
from service.text.markup.prosody import gain_of, pitch_of, rate_of
from tests.profiles import given, many


def read(source, language="en-us"):
    notes = Notes(source)
    return ssml.parse(source, language, notes), notes


def parts(content, language="en-us"):
    return read(f"<speak>{content}</speak>", language)[0]


def told(source):
    return [
        (one.element, one.attribute or one.element, one.line, one.column, one.count) for one in read(source)[1].ignored
    ]


def texts(content):
    return [part.duration_s if isinstance(part, Pause) else part.text.text for part in parts(content)]


def only(content, language="en-us"):
    (passage,) = parts(content, language)
    assert isinstance(passage, Passage)
    return passage


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<speak>\né <audio src='a'>x</audio></speak>", [("audio", "audio", 2, 3, 1)]),
        ("<speak><s>a</s>\n <prosody rate='1'  contour='b'>c</prosody></speak>", [("prosody", "contour", 2, 21, 1)]),
        ("<speak><s role='x=1 x' x='1'>a</s></speak>", [("s", "role", 1, 11, 1), ("s", "x", 1, 24, 1)]),
        ("<speak><google:style>a</google:style><google:style>b</google:style></speak>",
         [("google:style", "google:style", 1, 8, 2)]),
        ("<speak><voice name='af_sky' effect='e'>a</voice></speak>", [("voice", "effect", 1, 29, 1)]),
        ("<speak><desc><blink a='1'>x</blink></desc>a</speak>", []),
        ("<speak version='1.1' xmlns='y' xmlns:a='b' xml:base='c' xml:id='d' onlangfailure='e'>a</speak>", []),
        ("<?xml version='1.0'?><speak><?x y?>a</speak>", [("?x", "?x", 1, 29, 1)]),
    ],
)  # fmt: skip
def test_each_ignored_name_is_told_once_with_its_place(source, expected):
    assert told(source) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<seq><media begin='1s'>a</media><media repeatCount='3'>b</media></seq>", [1.0, "a", "b", "b", "b"]),
        ("<par><media xml:id='x'>a</media><media begin='x.end+500ms'>b</media></par>", ["a", 0.5, "b"]),
        ("<par><media xml:id='x'>a</media><media begin='x.end-1s'>b</media></par>", ["a", "b"]),
        ("<audio>a<desc>b</desc></audio> <metadata>c</metadata>d<w>e</w>", ["a de"]),
        ("<voice><mstts:silence type='Tailing' value='1s'/><mstts:silence type='Leading' value='2s'/>a</voice>b",
         [2.0, "a", 1.0, "b"]),
        ("<mstts:silence type='tailing-exact' value='200ms'/>a", ["a", 0.2]),
        ("<break time='90s'/><break time='2'/><break time='x' strength='weak'/>", [60.0, 2.0, 0.25]),
        ("<sub>a</sub><sub alias='b'/><phoneme ph='a'/>", ["abx"]),
        ("<phoneme alphabet='x-amazon-yomigana' ph='ひろ'>弘</phoneme>", ["弘"]),
        ("<p>a</p><paragraph>b</paragraph><sentence>c</sentence>", ["a\n\nb\n\nc"]),
        ("<lang xml:lang='tlh' onlangfailure='ignoretext'>a</lang>b", ["b"]),
        ("<say-as interpret-as='digits'>1<mark name='m'/><b>2</b></say-as>", ["12"]),
        ("a<audio/>b<audio>c</audio>. <b>d</b>e<br/>f<mark name='m'/>g<x:y>h</x:y>, i", ["a b c. de fg h, i"]),
        ("<break time='61'/><break time='2 Seconds'/><break time='90000ms'/>", [0.061, 2.0, 60.0]),
        ("&eacute;&ni;&NotEqualTilde;<sub alias='&Auml;&hellip;'>x</sub>", ["é∋≂̸Ä…"]),
    ],
)  # fmt: skip
def test_what_is_read_and_where_it_pauses(content, expected):
    assert texts(content) == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("interpret-as='number_digit'", ("digits", "")), ("interpret-as='spell'", ("characters", "")),
        ("interpret-as='fraction'", ("fraction", "")), ("interpret-as='duration' format='h:m'", ("duration", "hm")),
        ("interpret-as='date' format='yyyymmdd' detail='1'", ("date", "ymd")), ("type='date:dmy'", ("date", "dmy")),
        ("interpret-as='date' format='d'", ("date", "d")), ("interpret-as='vxml:currency'", ("currency", "")),
        ("interpret-as='telephone' format='1' google:style='zero-as-zero'", ("telephone", "")),
        ("interpret-as='currency' language='en-US'", ("currency", "")),
        ("interpret-as='time' format='x'", ("time", "")),
    ],
)  # fmt: skip
def test_say_as_is_understood_as_the_clouds_write_it(attributes, expected):
    (hint,) = only(f"<say-as {attributes}>12</say-as>").hints
    assert isinstance(hint, Hint)
    assert (hint.interpretation, hint.detail) == expected


def test_what_say_as_cannot_do_is_read_as_it_is_written():
    assert only("<say-as interpret-as='interjection'>Wow</say-as>").hints == ()
    assert only("<say-as interpret-as='name'>ED</say-as>").hints == ()
    assert only("<say-as interpret-as='expletive'>so</say-as>").voice_settings.is_bleeped


@pytest.mark.parametrize(
    ("alphabet", "ph", "language", "phonemes"),
    [
        ("ipa", "pɪˈkɑːn", "en-us", "pɪˈkɑn"), ("x-sampa", 'pI"kA:n', "en-us", "pɪˈkɑn"),
        ("x-sampa", "tS{t", "en-us", "ʧæt"), ("sapi", "h eh 1 l ow", "en-us", "hˈɛlO"),
        ("ups", "JH AU S1 . K AX", "en-us", "ʤWˈkə"), ("x-amazon-pinyin", "ni3 hao3", "zh", "ni↓xau↓"),
        ("pinyin", "nǐ hǎo", "zh", "ni↓xau↓"), ("sapi", "lv 4", "zh", "ly↘"), ("kokoro", "kˈæt", "fr", "kˈæt"),
        ("yomigana", "とうきょう", "ja", "toːkʲoː"), ("x-amazon-yomigana", "Hirokazu", "ja", "çiɾokazɨ"),
        ("yomigana", "ni^hon", "ja", "ɲihoɴ"), ("x-amazon-pron-kana", "ヒロ'カズ", "en-us", "çiɾokazɨ"),
        ("x-microsoft-sapi", "mei 3 guo 2", "zh", "mei↓kwo↗"), ("ups", "JH AU S1. K AX", "en-us", "ʤWˈkə"),
        ("cmu-arpabet", "M AE1 D IH0 S AH0 N", "en-us", "mˈædɪsən"), ("arpabet", "HH AH0 L OW1", "en-us", "həlˈO"),
        ("ipa", "/ˈwɔːtə(r)/", "en-us", "ˈwɔtəɹ"),
        ("ipa", "ɬa", "en-us", "la"), ("ipa", "kˤæt̪", "en-us", "kæt"), ("ipa", "ʙɐ", None, "bɐ"),
    ],
)  # fmt: skip
def test_phonetic_alphabets_become_symbols_of_the_vocabulary(alphabet, ph, language, phonemes):
    assert alphabets.read(alphabet, ph, language).phonemes == phonemes


@given(
    st.sampled_from(["ipa", "x-sampa", "ups", "sapi", "pinyin", "kokoro", "x-amazon-jyutping", "nonsense"]),
    st.text(max_size=20) | st.text(alphabet="tʃaɪˈː_\\`{}@3 AEIOUæðθŋ.-%\"'" + "ʘǀɶɷ˞", max_size=20),
    st.sampled_from(["en-us", "es", "zh", "ja", None]),
)
@example("sapi", "'", "ja")
@example("pinyin", "5", "zh")
def test_phonemes_are_said_or_told_but_never_refused(alphabet, ph, language):
    said = alphabets.read(alphabet, ph, language)
    if said.phonemes is None:
        assert said.reason
    else:
        assert load_vocabulary().unknown(said.phonemes) == []
        assert load_vocabulary().is_pronounceable(said.phonemes)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("slow", 0.75), ("80%", 0.8), ("1.2", 1.2), ("-10%", 0.9), ("+30.00%", 1.3), ("+0.5", 1.5), ("+10", 1.1),
        ("default", 1.0), ("0.1", 0.25), ("900%", 4.0), ("quick", 2.0),
    ],
)  # fmt: skip
def test_rates_are_factors_within_limits(value, expected):
    assert rate_of("0%", 1.0) == (1.0, "")
    assert rate_of("50%", 1.0, is_relative=True) == (1.5, "")
    rate, reason = rate_of(value, 2.0 if value == "quick" else 1.0)
    assert rate == pytest.approx(expected)
    assert bool(reason) == (value in ("0.1", "900%", "quick"))


@pytest.mark.parametrize(
    ("value", "decibels"),
    [
        ("loud", 6), ("x-soft", -12), ("+6dB", 6), ("-3.5dB", -3.5), ("50", -6.02), ("+20%", 1.584), ("100", 0),
        ("medium", 0), ("+90dB", 20),
    ],
)  # fmt: skip
def test_volumes_are_gains_within_limits(value, decibels):
    gain, reason = gain_of(value, 1.0)
    assert gain == pytest.approx(10 ** (decibels / 20), rel=1e-3)
    assert bool(reason) == (value == "+90dB")
    assert gain_of("silent", 1.0) == (0.0, "")


@pytest.mark.parametrize(
    ("value", "semitones"),
    [("high", 1), ("+2st", 2), ("-1.5st", -1.5), ("+10%", 1.65), ("-10%", -1.82), ("+20Hz", 1.57), ("210Hz", 0),
     ("+19st", 2), ("x", 1)],
)  # fmt: skip
def test_pitches_are_semitones_within_limits(value, semitones):
    pitch, reason = pitch_of(value, 1.0 if value == "x" else 0.0, "female")
    assert pitch == pytest.approx(semitones, abs=0.01)
    assert bool(reason) == (value in ("+19st", "x"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<speak>a</speak>", True), ("  \n<speak version='1'>", True), ("\ufeff<?xml version='1.0'?><a/>", True),
        ("<ssml:speak>", True), ("<speaker>", False), ("a <speak>", False), ("<speak", False), ("", False),
        ("<?xmlish?>", False), ("<speak/>", True),
    ],
)  # fmt: skip
def test_ssml_is_told_by_how_a_text_opens(text, expected):
    assert opens_ssml(text) == expected


@pytest.mark.parametrize(
    ("opening", "rate", "gain", "pitch"),
    [
        ("<speak>{}</speak>", 0.5, 0.1, -4),
        ("<speak xmlns:mstts='https://www.w3.org/2001/mstts'>{}</speak>", 1.5, 1.1, 1.65),
        ("<speak><voice name='en-US-AvaNeural'>{}</voice></speak>", 1.5, 1.1, 1.65),
        ("<speak><voice name='Joanna'>{}</voice></speak>", 0.5, 0.1, -4),
    ],
)  # fmt: skip
def test_a_percentage_without_a_sign_is_more_of_it_in_documents_of_azure(opening, rate, gain, pitch):
    (passage,), _ = read(opening.format("<prosody rate='50%' volume='10%' pitch='10%'>a</prosody>"))
    settings = passage.voice_settings
    assert (settings.rate, settings.gain, settings.pitch) == pytest.approx((rate, gain, pitch), abs=0.01)


def test_white_space_before_the_prolog_moves_no_offset():
    source = "\ufeff \n<?xml version='1.0'?><speak>é a</speak>"
    (passage,) = read(source)[0]
    assert [source[slice(*passage.text[i : i + 1].span)] for i in range(3)] == list("é a")


NAMES = [
    "p", "s", "w", "token", "lang", "voice", "prosody", "emphasis", "audio", "desc", "metadata", "lookup", "seq", "par",
    "media", "mstts:express-as", "mstts:ttsembedding", "amazon:effect", "amazon:domain", "amazon:auto-breaths",
    "google:style", "paragraph", "sentence", "unknown", "say-as", "sub", "phoneme", "speak",
]  # fmt: skip
EMPTY = ["break", "mark", "bookmark", "meta", "lexicon", "mstts:silence", "mstts:viseme", "mstts:audioduration",
         "mstts:backgroundaudio", "amazon:breath"]  # fmt: skip
VALUES = {
    "xml:lang": ["en-GB", "fr", "tlh", ""], "onlangfailure": ["ignorelang"],
    "name": ["af_sky", "Joanna", "en-US-AvaNeural", "Q", "bm_george(2)+af_sky"],
    "gender": ["male", "female", "neutral", "q"], "age": ["5"], "variant": ["1", "7", "x"], "languages": ["fr en", "q"],
    "required": ["gender name", "q"], "ordering": ["languages"], "onvoicefailure": ["keepexisting"],
    "rate": ["slow", "+10%", "9", "q"], "pitch": ["+2st", "-99%", "q"], "volume": ["loud", "-6dB", "q"],
    "duration": ["2s", "q"], "contour": ["(0%,+1Hz)"], "interpret-as": ["date", "digits", "expletive", "q"],
    "format": ["mdy", "q"], "alphabet": ["ipa", "x-sampa", "ups", "sapi", "pinyin", "q"], "ph": ["kæt", "q@", "ni3"],
    "alias": ["ATTRIBUTE"], "begin": ["1s", "x.end+1s"], "end": ["2s"], "soundLevel": ["+6dB", "q"],
    "time": ["1s", "+2s", "q"], "strength": ["weak", "q"],
    "type": ["Leading", "Comma-exact", "q"], "value": ["1s", "q"],
    "mark": ["b"], "level": ["strong", "q"], "role": ["amazon:VB", "q"], "src": ["http://127.0.0.1/ATTRIBUTE"],
    "uri": ["file:///etc/ATTRIBUTE"], "x": ["ATTRIBUTE > <&"],
}  # fmt: skip
WORDS = st.text(alphabet="abé日😀 \n1.,", max_size=8)
ATTRIBUTES = st.dictionaries(st.sampled_from(sorted(VALUES)), st.integers(0, 9), max_size=3)


def tag(name, attributes, end):
    written = "".join(f" {k}={quoteattr(VALUES[k][n % len(VALUES[k])])}" for k, n in attributes.items())
    return f"<{name}{written}{end}"


LEAF = st.one_of(
    WORDS.map(escape),
    st.builds(lambda name, attributes: tag(name, attributes, "/>"), st.sampled_from(EMPTY), ATTRIBUTES),
    st.sampled_from(["<!-- COMMENT -->", "<![CDATA[<b>]]>", "&#233;", "<?go COMMENT?>"]),
)
TREE = st.recursive(
    LEAF,
    lambda inner: st.builds(
        lambda name, attributes, contents: f"{tag(name, attributes, '>')}{''.join(contents)}</{name}>",
        st.sampled_from(NAMES), ATTRIBUTES, st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)  # fmt: skip
DOCUMENTS = st.lists(TREE, max_size=4).map(lambda contents: f"<speak>{''.join(contents)}</speak>")


def spoken(element, is_whole=False):
    """Return the text that SSML says is spoken."""
    name = element.tag
    if name in ("desc", "metadata"):
        return ""
    if name == "sub" and not is_whole and element.get("alias"):
        return "ATTRIBUTE"
    is_outermost = not is_whole
    is_whole = is_whole or name in ("say-as", "phoneme", "sub") or (name in ("w", "token") and "role" in element.attrib)
    inside = (element.text or "") + "".join(spoken(child, is_whole) + (child.tail or "") for child in element)
    if is_outermost and name == "phoneme" and not inside.strip() and element.get("ph"):
        said = alphabets.read(element.get("alphabet", "ipa"), element.get("ph"), None)
        return "x" if said.phonemes is not None else ""
    return inside


PREFIXES = ("mstts", "amazon", "google", "xml")


def check(source):
    found, notes = read(source, None)
    plain = source
    for prefix in PREFIXES:
        plain = plain.replace(f"{prefix}:", f"{prefix}-")
    expected = spoken(ET.fromstring(plain))
    said = "".join(part.text.text for part in found if isinstance(part, Passage))
    assert "".join(said.split()) == "".join(expected.split())
    assert "COMMENT" not in said
    end = 0
    for part in found:
        if isinstance(part, Pause):
            assert source[part.start : part.end][:: part.end - part.start - 1] == "<>"
            continue
        for index, character in enumerate(part.text.text):
            start, last = part.text[index : index + 1].span
            written = source[start:last]
            if not character.isspace() and len(written) == 1 and character not in "ATRIBUEx":  # of an alias
                assert written == character
            assert end <= last
            end = last
    for one in notes.ignored:
        line, column = source.count("\n", 0, one.start) + 1, one.start - source.rfind("\n", 0, one.start)
        assert (one.line, one.column) == (line, column)
        assert source.startswith(one.attribute or "<", one.start)


@given(DOCUMENTS)
@many()
def test_all_that_is_spoken_is_read_and_nothing_else(source):
    check(source)


def written(chance, depth=0):
    """Return a piece of a document by chance, much sooner than Hypothesis would."""
    n_attributes = min(int(chance.expovariate(1.0)), 3)
    attributes = {name: chance.randrange(10) for name in chance.sample(sorted(VALUES), n_attributes)}
    kind = chance.random()
    if kind < 0.35 or depth == 12:
        return escape("".join(chance.choices("abé日😀 \n1.,", k=chance.randrange(8))))
    if kind < 0.5:
        return tag(chance.choice(EMPTY), attributes, "/>")
    if kind < 0.6:
        return chance.choice(["<!-- COMMENT -->", "<![CDATA[<b>]]>", "&#233;", "<?go COMMENT?>"])
    name = chance.choice(NAMES)
    content = "".join(written(chance, depth + 1) for _ in range(chance.randrange(4)))
    return f"{tag(name, attributes, '>')}{content}</{name}>"


@pytest.mark.parametrize("n_documents", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_all_that_is_spoken_of_many_documents_is_read_and_nothing_else(n_documents):
    for seed in range(n_documents):
        chance = random.Random(seed)
        check(f"<speak>{''.join(written(chance) for _ in range(5))}</speak>")


LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" if n else "<!ENTITY l0 'ha'>" for n in range(10))
HOSTILE = {
    "billion laughs": f"<!DOCTYPE speak [{LAUGHS}]><speak>&l9;</speak>",
    "external entity": "<!DOCTYPE s [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><speak>&a;</speak>",
    "external type": "<!DOCTYPE speak SYSTEM 'http://127.0.0.1/a.dtd'><speak>a</speak>",
    "levels": "<p>" * 100_000,
    "entity without a meaning": "<speak>&nothing;</speak>",
    "closed levels": f"<speak>{'<p>' * 100_000}{'</p>' * 100_000}</speak>",
    "attribute": f"<speak><p a='{'x' * 10_000_000}'>a</p>",
    "attribute that is open": f"<speak><p a='{'x' * 10_000_000}",
    "attributes": "<speak " + " ".join(f"a{n}=''" for n in range(100_000)) + " a0=''/>",
    "quotes": f"<speak>{'<p a=' * 100_000}",
    "not closed": "<speak>a",
    "mismatched": "<speak><p>a</s></speak>",
    "nothing": "",
}


@pytest.mark.alone
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_are_refused_soon(name):
    """In little more than it takes to parse them; with a tenth of a second for what is small."""
    started = time.process_time()
    with contextlib.suppress(expat.ExpatError):
        expat.ParserCreate().Parse(HOSTILE[name], True)
    parsed = time.process_time()
    with pytest.raises(MarkupError):
        read(HOSTILE[name])
    assert time.process_time() - parsed < 3 * (parsed - started) + 0.1


@pytest.mark.alone
@pytest.mark.parametrize(
    "content",
    [
        "".join(f"<a{n}/>" for n in range(3_000)), "<b " + " ".join(f"a{n}=''" for n in range(3_000)) + "/>",
        "<prosody rate='q' pitch='q' volume='q'>a</prosody>" * 400, "<voice name='Q'>a</voice> " * 800,
        "<media repeatCount='999'>" * 60 + "a" + "</media>" * 60, "<s>a</s>" * 2_500, "<mark name='a'/>" * 1_200,
    ],
)  # fmt: skip
def test_documents_of_nothing_but_markup_are_read_soon(content):
    """Soon is eight times what as much ordinary text takes."""
    source = f"<speak>a{content}</speak>"
    started = time.process_time()
    parts("<p>Some plain words.</p>" * 1_000)
    ordinary = time.process_time()
    found, _ = read(source)
    assert time.process_time() - ordinary < 8 * (ordinary - started)
    assert sum(len(part.text) for part in found if isinstance(part, Passage)) <= 5 * len(source)


def test_what_is_told_of_a_document_is_bounded():
    elements = "".join(f"<x{n}{'y' * 1000}/>" for n in range(5000))
    source = f"<speak>Hello{elements}</speak>"
    notes = Notes(source)
    ssml.parse(source, notes=notes)
    assert len(notes.ignored) <= 101
    assert max(len(one.element) for one in notes.ignored) <= 64
    assert sum(one.count for one in notes.ignored) == 5000


def test_nothing_is_fetched(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    source = (
        "<speak xml:base='http://127.0.0.1:9/' xmlns:x='http://127.0.0.1:9/ns'><lexicon uri='http://127.0.0.1:9/l'/>"
        "<audio src='http://127.0.0.1:9/a'>a</audio><mstts:backgroundaudio src='http://127.0.0.1:9/b'/>"
        "<meta http-equiv='refresh' content='http://127.0.0.1:9/'/></speak>"
    )
    assert [part.text.text for part in read(source)[0]] == ["a"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Oh <voice name='bf_emma'>there.</voice> <s>I am</s><break time='1s'/>here", "Oh there.\n\nI am\n\nhere"),
        ("so<voice gender='male'>so</voice>so", "so so so"), ("a<break/>b <break/>c", "a b c"),
        ("un<prosody pitch='low'>likely</prosody>", "unlikely"), ("<p>a</p> <break/> <p>b</p>", "a\n\nb"),
    ],
)  # fmt: skip
def test_a_document_is_shown_without_its_markup(content, text):
    source = f"<speak>{content}</speak>"
    parts = parse(source, is_ssml=True, notes=Notes(source))
    traced = [part.text for part in parts if isinstance(part, Passage)]
    words = [(start, end) for one in traced for letter, start, end in one.characters() if not letter.isspace()]
    found, places = shown(parts, words)
    assert found == text
    assert [found[start:end] for start, end in places] == list("".join(text.split()))


def test_what_is_said_again_is_shown_again():
    source = "<speak><seq><media repeatCount='3'><speak>Ding dong.</speak></media></seq></speak>"
    spans = [(source.index(word), source.index(word) + 4) for word in ("Ding", "dong")]
    found, places = shown(parse(source, is_ssml=True, notes=Notes(source)), spans * 3)
    assert found == "Ding dong. Ding dong. Ding dong."
    assert [found[start:end] for start, end in places] == ["Ding", "dong"] * 3
