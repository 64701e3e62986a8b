import pytest
from hypothesis import strategies as st
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests.profiles import given

from service.text.normalization import addresses, emoji, entities, markdown

LANGUAGES = ("en-us", "en-gb", "es", "fr", "hi", "it", "pt-br", "ja", "zh")


def said(text, language="en-us"):
    return rewrite(TracedText(text), addresses.rules(language)).text


def common_rules(language):
    return [*entities.RULES, *markdown.RULES, *emoji.rules(language, named=False), *addresses.rules(language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://www.example.com/docs?id=5#top", "example dot com slash docs question mark ID equals 5 hash top"),
        ("http://127.0.0.1:8000/", "127 dot 0 dot 0 dot 1 colon 8000 slash"),
        (
            "https://example.com/?n=1234567890&m=007",
            "example dot com slash question mark N equals 1 2 3 4 5 6 7 8 9 0 and M equals 0 0 7",
        ),
        ("https://example.com, https://example.org!", "example dot com, example dot org!"),
        ("(https://example.com/a_(b))", "(example dot com slash A underscore open parenthesis B close parenthesis)"),
        ("www.example.com...", "example dot com..."),
        ("https://example.com/a%20b%2Fc%FF", "example dot com slash A B slash C percent FF"),
        ("sftp://example.com", "SFTP colon slash slash example dot com"),
        ("localhost:8000/docs", "localhost colon 8000 slash docs"),
    ],
)
def test_urls(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("john.smith@example.com.", "john dot smith at example dot com."),
        ("mailto:a_b+c@mail.example.co.uk", "A underscore B plus C at mail dot example dot co dot UK"),
        ("-info@example.org", "-info at example dot org"),
        ("jane_doe@x", "jane_doe@x"),
    ],
)
def test_email(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("example.com's, GitHub.io.", "example dot com's, Git Hub dot IO."),
        ("EXAMPLE.COM", "example dot com"),
        ("163.com, t.co/x", "163 dot com, T dot co slash X"),
        ("about.me/jane, maps.google.it", "about dot me slash jane, maps dot google dot IT"),
        ("report.pdf, my-file_2.tar.gz", "report dot PDF, my dash file underscore 2 dot tar dot GZ"),
        ("README.md:42", "readme dot MD:42"),
        ("src/text/main.py", "SRC slash text slash main dot PY"),
        (
            "/etc/hosts, ~/a/notes.txt ../up",
            "slash etc slash hosts, tilde slash A slash notes dot TXT dot dot slash up",
        ),
        (
            "C:\\Program Files\\My App\\run.exe now",
            "C colon backslash Program Files backslash My App backslash run dot EXE now",
        ),
        ("\\\\server\\share.", "backslash backslash server backslash share."),
        ("a .pdf, .NET and .env.local", "a dot PDF, dot NET and dot env dot local"),
    ],
)
def test_domains_and_files(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "e.g. this, i.e. that, etc.and",
        "3.14, v1.2.3, 10.30, 1.000,5, 127.0.0.1",
        "the end.Start again.in a day.No",
        "U.S.A., Ph.D., a.m., p.m.",
        "and/or, he/she, w/o, km/h, 24/7, 3/15/2024, AC/DC, TCP/IP",
        "ABC-123, X-9000, INC0012345",
        "either \\ or, line\\nbreak",
        "this.is.it, ready.go, sure.me too",
        "5 / 2 and /",
        "Wait...what",
    ],
)
def test_what_is_no_address_stays(text):
    assert said(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#ThrowbackThursday, #TBT", "hashtag Throwback Thursday, hashtag TBT"),
        ("#5ways #snake_case", "hashtag 5 ways hashtag snake case"),
        ("#ff8800 #faded", "hash F F 8 8 0 0 hashtag faded"),
        ("#1 C# a#b &#x", "#1 C# a#b &#x"),
        ("@jane_doe, @JohnSmith.", "at jane doe, at John Smith."),
        ("@jane.doe@example.social", "at jane dot doe at example dot social"),
        ("@babel/core", "at babel slash core"),
        ("a@b @ 5pm @5 tod@s", "a@b @ 5pm @5 tod@s"),
    ],
)
def test_hashtags_and_mentions(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_word_for_every_sign(language):
    text = "https://u:p@a-b.com:80/c_d~e%f+g?h=i&j=(k)#l;m,n!o$p*q"
    words = said(text, language)
    assert not set("/@:_~%+?=&#()!$*") & set(words)
    assert said(words, language) == words


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("it", "vai su repubblica.it", "vai su repubblica punto it"),
        ("es", "tarde.se fue", "tarde.se fue"),
        ("es", "en elpais.es/a", "en elpais punto es barra A"),
        ("hi", "राम@x और #सुप्रभात", "राम@x और हैशटैग सुप्रभात"),
        ("ja", "詳細はexample.jpへ", "詳細はexample ドット JPへ"),
        ("zh", "请看https://example.com。#天气#很好", "请看example 点 com。话题 天气,很好"),
    ],
)
def test_words_of_other_scripts_end_addresses(language, text, expected):
    assert said(text, language) == expected


def test_an_address_is_one_span():
    text = rewrite(TracedText("See example.com now"), addresses.rules("en-us"))
    assert text.text == "See example dot com now"
    assert text[4:19].span == (4, 15)
    assert text[20:23].span == (16, 19)


_FRAGMENTS = st.sampled_from(
    [
        *("a", "B", "1", " ", "\n", ".", ",", "/", "\\", "@", "#", ":", "-", "_", "(", ")", "%41"),
        *(".com", "https://", "www.", "C:\\", "&amp;", "<b>", "😀", "→", "★", ":)", "है", "字", "\u200d"),
    ]
)


@given(st.sampled_from(LANGUAGES), st.lists(_FRAGMENTS, max_size=12).map("".join))
def test_any_text_is_read_and_every_character_has_a_span(language, text):
    once = rewrite(TracedText(text), common_rules(language))
    spans = [once[position : position + 1].span for position in range(len(once))]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
