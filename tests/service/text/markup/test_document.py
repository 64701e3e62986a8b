"""The examples of docs/markup.md are correct."""

import re
from pathlib import Path

import pytest

from service.errors import MarkupError
from service.text.markup import Passage, Pause, inline, ssml
from service.text.user_lexicon import UserLexicon

TEXT = (Path(__file__).parents[4] / "docs/markup.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")


def section(title):
    """Return the text under a heading, without its subsections."""
    level, _, _ = title.partition(" ")
    _, _, rest = TEXT.partition(f"\n{title}\n")
    assert rest, title
    return re.split(rf"\n#{{1,{max(len(level), 3)}}} ", rest)[0]


def examples(title, heading):
    """Return the code in the first column of the table with this heading."""
    table = section(title).partition(f"| {heading} |")[2].partition("\n\n")[0]
    rows = table.splitlines()[2:]
    found = [code for row in rows for code in CODE.findall(row.split(" | ")[0])]
    assert found
    return found


def rows(title, heading):
    table = section(title).partition(f"| {heading} |")[2].partition("\n\n")[0]
    return [(name, float(n)) for name, n in re.findall(r"\| `([^`]+)` \| ([\d.]+) \|", table)]


def document(content):
    return ssml.parse(f"<speak>{content}</speak>", "en-us")


@pytest.mark.parametrize("text", examples("## Inline markup", "written"))
def test_inline_examples_are_markup(text):
    parts = inline.parse(text)
    assert any(isinstance(part, Pause) or part.overrides or part.voice_settings.voice for part in parts)


@pytest.mark.parametrize("text", examples("### What stays text", "written"))
def test_what_stays_text_does(text):
    (passage,) = inline.parse(text)
    assert isinstance(passage, Passage)
    assert passage.text.text == text
    assert not passage.overrides


@pytest.mark.parametrize("text", examples("### Errors", "written"))
def test_inline_errors_are_refused(text):
    with pytest.raises(MarkupError, match=r"at position \d+ of the text"):
        inline.parse(text)


@pytest.mark.parametrize("element", examples("## SSML", "element"))
def test_elements_are_understood(element):
    parts = document(element)
    assert parts
    assert parts != document(re.sub("<[^>]+>", "", element)) or element.startswith(("<s>", "<p>"))


@pytest.mark.parametrize("content", examples("### What is refused", "written"))
def test_what_is_refused_is(content):
    with pytest.raises(MarkupError, match=r"line 1, column \d+ \(position \d+ of the text\)"):
        document(content)


def test_strengths_and_rates_are_those_of_the_tables():
    strengths, rates = rows("## SSML", "strength"), rows("## SSML", "rate")
    assert len(strengths) == 6
    assert len(rates) == 9
    for strength, seconds in strengths:
        (pause,) = document(f'<break strength="{strength}"/>')
        assert isinstance(pause, Pause)
        assert pause.duration_s == seconds
    for written, rate in rates:
        (passage,) = document(f'<prosody rate="{written}">so</prosody>')
        assert isinstance(passage, Passage)
        assert passage.voice_settings.rate == pytest.approx(rate)


@pytest.mark.parametrize("block", re.findall(r"```xml\n(.*?)```", TEXT, re.DOTALL))
def test_documents_are_understood(block):
    parts = ssml.parse(block)
    assert {type(part) for part in parts} == {Passage, Pause}


@pytest.mark.parametrize("block", re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL))
def test_lexicons_are_read(block, tmp_path):
    file = tmp_path / "lexicon.toml"
    file.write_text(block, encoding="utf-8")
    assert UserLexicon.load(file)
