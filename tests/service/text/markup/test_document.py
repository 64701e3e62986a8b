"""The examples of docs/markup.md are correct."""

import re
from pathlib import Path

import pytest

from service.errors import MarkupError
from service.text.markup import Notes, Passage, Pause, VoiceSettings, inline, ssml
from service.text.markup.elements import ATTRIBUTES, REASONS, STRICT
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


def document(content, notes=None):
    return ssml.parse(f"<speak>{content}</speak>", "en-us", notes or Notes(content))


@pytest.mark.parametrize("text", examples("## Inline markup", "written"))
def test_inline_examples_are_markup(text):
    parts = inline.parse(text)
    assert any(isinstance(part, Pause) or part.overrides or part.voice_settings != VoiceSettings() for part in parts)


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


ELEMENTS = [*examples("### Text", "element"), *examples("### What the clouds add", "element")]


@pytest.mark.parametrize("element", [code for code in ELEMENTS if code.endswith("/>") or "</" in code])
def test_elements_are_understood(element):
    notes = Notes(element)
    parts = document(f"{element}so", notes)
    plain = document(re.sub("<[^>]+>", "", f"{element}so"))
    assert parts != plain or notes.marks or notes.ignored or element.startswith(("<s>", "<p>"))


def test_every_element_of_the_code_has_a_line():
    for name in {*ATTRIBUTES, *REASONS}:
        assert f"<{name}" in TEXT, name


@pytest.mark.parametrize("content", examples("### Strict mode", "written"))
def test_what_strict_mode_refuses_is_refused(content):
    with pytest.raises(MarkupError, match=r"line 1, column \d+ \(position \d+ of the text\)"):
        ssml.parse(f"<speak>{content}</speak>", "en-us")


def test_strict_mode_knows_what_the_table_says():
    rows = section("### Strict mode").partition("| element | attributes |")[2].partition("\n\n")[0].splitlines()[2:]
    known = {name for row in rows for name in CODE.findall(row.split(" | ")[0])}
    assert known == set(STRICT)


def test_strengths_and_rates_are_those_of_the_tables():
    strengths, rates = rows("### Text", "strength"), rows("### Prosody", "rate")
    assert len(strengths) == 6
    assert len(rates) == 10
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
