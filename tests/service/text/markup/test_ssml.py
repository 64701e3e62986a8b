import gc
import re
from contextlib import suppress

import pytest
from hypothesis import strategies as st

from service.errors import LanguageUnavailableError, MarkupError
from service.text.markup import Hint, Passage, Pause, VoiceSettings, ssml
from tests.profiles import given


def parts(content, language=None):
    return ssml.parse(f"<speak>{content}</speak>", language)


def said(content):
    """Return the text of each passage and the seconds of each pause."""
    return [part.duration_s if isinstance(part, Pause) else part.text.text for part in parts(content)]


def only(content, language=None):
    (passage,) = parts(content, language)
    assert isinstance(passage, Passage)
    return passage


def delivered(content):
    return [
        (part.text.text, part.voice_settings.voice, part.voice_settings.language, part.voice_settings.rate)
        for part in parts(content)
        if isinstance(part, Passage)
    ]


def overrides(content, language=None):
    source = f"<speak>{content}</speak>"
    return [(source[o.start : o.end], o.phonemes, o.stress) for o in only(content, language).overrides]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Hello.", ["Hello."]),
        ("\n  Hello\n  there,\r\n\tyou.\n", ["Hello there, you."]),
        ("a<!-- - & > -->b <!-- c -->d", ["ab d"]),
        ("<![CDATA[a <b> & &amp; ]] >]]> c", ["a <b> & &amp; ]] > c"]),
        ("&lt;a&gt; &amp; &quot;b&apos;&#33;&#x1F600;&#32;&#10;c", ["<a> & \"b'!😀 c"]),
        ("no\u00a0fold\u3000here", ["no\u00a0fold\u3000here"]), ("<p>One</p><p>Two</p>", ["One\n\nTwo"]),
        ("<p>\n <s>One</s>\n <s>Two</s>\n</p>\nThree", ["One\n\nTwo\n\nThree"]),
        ("a<s/>b", ["a\n\nb"]),
        ("<sub alias='World\n Wide'> WWW </sub>now", ["World Wide now"]),
        ("<sub alias='x'/>", ["x"]),
        ("a<say-as interpret-as='digits'> 12</say-as>b", ["a 12b"]),
        ("a <prosody rate='100%'> b</prosody> c", ["a b c"]), ("", []), (" <p> \u200b </p> ", []),
    ],
)  # fmt: skip
def test_text_is_folded_as_in_xml(content, expected):
    assert said(content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a <break/> b", ["a", 0.5, "b"]),
        ("<break time='250ms' strength='strong'/>", [0.25]),
        ("<break strength='none'></break><break strength='x-strong'> </break>", [0.0, 1.0]),
        ("<s>a<break time=' 2s '/></s>b", ["a", 2.0, "b"]),
    ],
)
def test_breaks_are_pauses(content, expected):
    assert said(content) == expected


def test_a_pause_has_the_span_of_its_element():
    source = "<speak>é😀<break time='1s'/> <break></break></speak>"
    pauses = [part for part in ssml.parse(source) if isinstance(part, Pause)]
    assert [source[pause.start : pause.end] for pause in pauses] == ["<break time='1s'/>", "<break></break>"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<voice name='bf_emma'>a</voice> b", [("a", "bf_emma", None, 1), ("b", None, None, 1)]),
        ("<voice name='a(2)+b' xml:lang='en_GB'>a</voice>", [("a", "a(2)+b", "en-gb", 1)]),
        (
            "<lang xml:lang='fr-CA'>a <voice name='bf_emma'>b</voice></lang>",
            [("a", None, "fr", 1), ("b", "bf_emma", None, 1)],
        ),
        ("<p xml:lang='es'>a</p>", [("a", None, "es", 1)]),
        (
            "<prosody rate='80%'>a <prosody rate='+25%'>b </prosody></prosody>c",
            [("a", None, None, 0.8), ("b c", None, None, 1)],
        ),
        (
            "<prosody rate='slow'>a <prosody rate='default'>b</prosody></prosody>",
            [("a", None, None, 0.75), ("b", None, None, 1)],
        ),
        ("<prosody rate='-10 %' pitch='medium' volume='default'>a</prosody>", [("a", None, None, 0.9)]),
        ("<prosody rate='2'><prosody rate='2'>a</prosody></prosody>", [("a", None, None, 4)]),
    ],
)
def test_voice_settings_are_those_of_the_elements_around(content, expected):
    assert delivered(content) == expected


def test_the_language_of_the_root_is_that_of_all():
    source = (
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<speak version="1.1" xml:lang="en-GB"'
        ' xmlns="http://www.w3.org/2001/10/synthesis" xmlns:xsi="x"'
        ' xsi:schemaLocation="y">é</speak>'
    )
    (passage,) = ssml.parse(source)
    assert isinstance(passage, Passage)
    assert passage.text.text == "é"
    assert passage.voice_settings == VoiceSettings(language="en-gb")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<phoneme alphabet='kokoro' ph='kˈæt'>a\ncat</phoneme>", [("a\ncat", "kˈæt", 0)]),
        ("<emphasis>Stop! Now</emphasis>", [("Stop", None, 0.5), ("Now", None, 0.5)]),
        (
            "<emphasis level='strong'>a <emphasis level='none'>b</emphasis> c</emphasis> d",
            [("a", None, 1), ("c", None, 1)],
        ),
        ("<emphasis level='reduced'><s>a</s><s>b</s></emphasis>", [("a", None, -1), ("b", None, -1)]),
        (
            "<emphasis level='strong'>x<phoneme alphabet='kokoro' ph='kət dəɡ'>y</phoneme></emphasis>",
            [("x", None, 1), ("y", "kˌət dˌəɡ", 0)],
        ),
        ("<emphasis><sub alias='a, b'>c</sub></emphasis>", [("c", None, 0.5)]),
    ],
)
def test_words_get_overrides(content, expected):
    assert overrides(content) == expected


@pytest.mark.parametrize(
    ("ph", "language", "phonemes"),
    [
        ("təˈmeɪtoʊ", "en-us", "təmˈAtO".replace("mˈ", "ˈm")), ("təˈmɑːtəʊ", "en-gb", "təˈmɑːtQ"),
        ("ˈt͡ʃɜːtʃ", "en-us", "ˈʧɜɹʧ"), ("ˈbɝd", "en-us", "ˈbɜɹd"), ("red", "en-us", "ɹɛd"),
        ("ˈɡoʊ.ɪŋ", "en-us", "ˈɡOɪŋ"), ("gəʊ", "en-gb", "ɡQ"), ("ˈbʌtn̩", "en-us", "ˈbʌtᵊn"),
        ("ˈpero", "es", "ˈpero"), ("ˈtʃao", "it", "ˈʧao"), ("bɔ̃", "fr", "bɔ̃"), ("kʌt", None, "kʌt"),
    ],
)  # fmt: skip
def test_ipa_becomes_symbols_of_the_vocabulary(ph, language, phonemes):
    assert overrides(f"<phoneme ph='{ph}'>x</phoneme>", language) == [("x", phonemes, 0)]


def test_the_language_of_ipa_is_that_of_the_voice_or_of_the_element():
    phoneme = "<phoneme ph='ɡəʊ'>x</phoneme>"
    assert overrides(f"<voice name='bf_emma'>{phoneme}</voice>", "en-us")[0][1] == "ɡQ"
    assert overrides(f"<lang xml:lang='en-us'>{phoneme}</lang>", "en-gb")[0][1] == "ɡO"


@pytest.mark.parametrize(
    ("attributes", "interpretation", "detail"),
    [
        ("interpret-as='cardinal'", "cardinal", ""), ("interpret-as='number'", "cardinal", ""),
        ("interpret-as='spell-out'", "characters", ""), ("interpret-as='verbatim'", "characters", ""),
        ("interpret-as='date' format='mdy'", "date", "mdy"),
        ("interpret-as='date' format='yyyymmdd'", "date", "ymd"),
        ("interpret-as='date' format='MM/DD/YYYY'", "date", "mdy"),
        ("interpret-as='time' format='hms12'", "time", "hms12"), ("interpret-as='telephone'", "telephone", ""),
        ("interpret-as='currency'", "currency", ""), ("interpret-as='unit'", "unit", ""),
        ("interpret-as='ordinal'", "ordinal", ""), ("interpret-as='digits'", "digits", ""),
    ],
)  # fmt: skip
def test_say_as_is_a_hint(attributes, interpretation, detail):
    content = f"é &amp; <say-as {attributes}> 3/4 </say-as> x"
    passage = only(content)
    start = content.index("3/4") + len("<speak>")
    assert passage.hints == (Hint(start, start + 3, interpretation, detail),)
    assert passage.text.within(start, start + 3) == (4, 7)


@pytest.mark.parametrize(
    ("source", "reason", "line", "column"),
    [
        ("", "no element found", 1, 1), ("Hello", "syntax error", 1, 1),
        ("<p>Hello</p>", "the root must be <speak>", 1, 1),
        ("<speak>\né <speak/></speak>", "<speak> must be the root", 2, 3),
        ("<speak>\n😀<s>a</p></speak>", "mismatched tag", 2, 8), ("<speak>a & b</speak>", "not well-formed", 1, 11),
        ("<speak>é&nbsp;</speak>", "undefined entity", 1, 9),
        ("<speak>a&#x80;</speak>", r"there is a control character U\+0080", 1, 9),
        ("<speak>\n<sub alias='&#127;'/></speak>", "<sub>: there is a control char", 2, 1),
        ("<speak>\x01</speak>", "not well-formed", 1, 8), ("<speak>\ud800</speak>", "not well-formed", 1, 8),
        ("<speak>\nä <mark name='a'/></speak>", "element 'mark' is not allowed", 2, 3),
        ("<speak><w>a</w></speak>", "element 'w' is not allowed", 1, 8),
        ("<speak><s role='a'>a</s></speak>", "attribute 'role' of <s> is not allowed", 1, 8),
        ("<speak><s a='1' a='2'/></speak>", "duplicate attribute", 1, 17),
        ("<speak><break> a</break></speak>", "<break> must not contain text", 1, 16),
        ("<speak><break><s/></break></speak>", "<break> must not contain elements", 1, 15),
        ("<speak><sub alias='a'><s/></sub></speak>", "<sub> must not contain elements", 1, 23),
        ("<speak>a<break time='61s'/></speak>", "longer than 60 seconds", 1, 16),
        ("<speak><break time='1'/></speak>", "time is '1'", 1, 8),
        ("<speak><break strength='big'/></speak>", "strength is 'big'", 1, 8),
        ("<speak>ä<phoneme ph='kG'>a</phoneme></speak>", r"<phoneme>: the model has no 'G' \(U\+0047\)", 1, 18),
        ("<speak><phoneme ph='k@'>a</phoneme></speak>", r"'@' \(U\+0040\)", 1, 17),
        ("<speak><phoneme>a</phoneme></speak>", "ph is required", 1, 8),
        ("<speak><phoneme ph='.'>a</phoneme></speak>", "the phonemes make no sound", 1, 8),
        ("<speak><phoneme ph='a'> </phoneme></speak>", "it contains no words", 1, 8),
        ("<speak><phoneme alphabet='x' ph='a'>a</phoneme></speak>", "alphabet is 'x'", 1, 8),
        ("<speak><say-as>a</say-as></speak>", "interpret-as is required", 1, 8),
        ("<speak><say-as interpret-as='a'>a</say-as></speak>", "interpret-as is 'a'", 1, 8),
        ("<speak><say-as interpret-as='unit'/></speak>", "it contains no words", 1, 8),
        ("<speak><say-as interpret-as='date' format='q'>1</say-as></speak>", "format .q. is unknown for date", 1, 36),
        ("<speak><say-as interpret-as='unit' format='x'>1</say-as></speak>", "format is not allowed with unit", 1, 8),
        ("<speak><sub alias=' '>a</sub></speak>", "alias is required", 1, 8),
        ("<speak><prosody rate='loud'>a</prosody></speak>", "rate is 'loud'", 1, 8),
        ("<speak><prosody rate='+1.2'>a</prosody></speak>", r"rate is '\+1.2'", 1, 8),
        ("<speak><prosody rate='20%'>a</prosody></speak>", "0.2 is beyond the limit of 0.25", 1, 17),
        ("<speak><prosody rate='-100%'>a</prosody></speak>", "0 is beyond", 1, 17),
        ("<speak><prosody rate='3'><prosody rate='2'>a</prosody></prosody></speak>", "6 is beyond", 1, 35),
        ("<speak><prosody pitch='high'>a</prosody></speak>", "pitch is 'high'", 1, 8),
        ("<speak><prosody contour='a'>a</prosody></speak>", "'contour' of <prosody>", 1, 8),
        ("<speak><voice>a</voice></speak>", "name is required", 1, 8),
        ("<speak><voice name=' '>a</voice></speak>", "name is required", 1, 8),
        ("<speak><lang>a</lang></speak>", "xml:lang is required", 1, 8),
        ("<speak><emphasis level='x'>a</emphasis></speak>", "level is 'x'", 1, 8),
        ("<speak xml:space='preserve'>a</speak>", "white space is always folded", 1, 8),
        ("<speak>\n<?php a ?></speak>", "processing instructions have no effect", 2, 1),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(source, reason, line, column):
    position = sum(map(len, source.splitlines(keepends=True)[: line - 1])) + column
    with pytest.raises(MarkupError) as caught:
        ssml.parse(source)
    assert re.search(reason, str(caught.value))
    place = f", at line {line}, column {column} (position {position} of the text)"
    assert str(caught.value).endswith(place)


def test_a_language_that_there_is_not_is_refused_with_its_place():
    with pytest.raises(LanguageUnavailableError, match=r"<s>: unknown language 'tlh'.*column 8"):
        parts("<s xml:lang='tlh'>a</s>")


LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" if n else "<!ENTITY l0 'ha'>" for n in range(10))


@pytest.mark.parametrize(
    "head",
    [
        f"<!DOCTYPE speak [{LAUGHS}]>",
        "<!DOCTYPE speak [<!ENTITY l9 SYSTEM 'file:///etc/hostname'>]>",
        "<!DOCTYPE speak SYSTEM 'http://127.0.0.1/a.dtd'>",
        "<!DOCTYPE speak [<!ENTITY % l9 SYSTEM 'file:///etc/hostname'> %l9;]>",
        "<!DOCTYPE speak PUBLIC '-//W3C//DTD SYNTHESIS 1.0//EN' 'synthesis.dtd'>",
    ],
)
def test_a_document_type_is_refused(head):
    with pytest.raises(MarkupError, match="a document type is not allowed"):
        ssml.parse(f"{head}<speak>&l9;</speak>")


@pytest.mark.parametrize("deep", [64, 10_000])
def test_deep_documents_are_refused(deep):
    with pytest.raises(MarkupError, match="nested more than 64 deep"):
        parts("<p>" * deep + "a" + "</p>" * deep)
    assert said("<p>" * 63 + "a" + "</p>" * 63) == ["a"]


WORDS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=6)
ESCAPED = WORDS.map(lambda text: re.sub("[&<>]", lambda m: f"&#{ord(m[0])};", text))
CONTENTS = st.recursive(
    st.one_of(
        ESCAPED,
        st.sampled_from(["<break/>", "<!-- é -->", "&amp;", "\r\n", " ", "<s/>", "<![CDATA[é<]]>"]),
        st.just("<sub alias='ab, c'>é</sub>"),
    ),
    lambda inner: st.builds(
        lambda tag, contents: f"<{tag}>{''.join(contents)}</{tag.split()[0]}>",
        st.sampled_from(["s", "p", "emphasis", "prosody rate='90%'", "voice name='é'"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)


@given(st.lists(CONTENTS, max_size=4).map("".join))
def test_every_character_has_its_span(content):
    source = f"<speak>{content}</speak>"
    end = 0
    for part in ssml.parse(source):
        if isinstance(part, Pause):
            assert source[part.start : part.end] == "<break/>"
            assert end <= part.start
            end = part.end
            continue
        for index, character in enumerate(part.text.text):
            start, last = part.text[index : index + 1].span
            written = source[start:last]
            if character not in " \n" and not written.startswith("&") and written != "é":
                assert written == character
            assert end <= last
            end = last
        overrides = [at for o in part.overrides for at in (o.start, o.end)]
        assert overrides == sorted(overrides)


@given(st.text(alphabet="<>/&;'\"=! []abspek-é\n", max_size=40))
def test_any_text_is_parsed_or_refused(text):
    for source in (text, f"<speak>{text}</speak>"):
        message = ""
        try:
            ssml.parse(source)
        except MarkupError as error:
            message = str(error)
        assert re.search(r"^$|line \d+, column \d+ \(position \d+ of the text\)$", message)


@pytest.mark.parametrize("document", ["<speak>Good <s>morning</s></speak>", "<speak>Good"])
def test_a_document_is_freed_after_parsing(document):
    for _ in range(2):
        gc.collect()  # including everything that is created only once
        with suppress(MarkupError):
            ssml.parse(document)
    assert gc.collect() == 0
