"""Documents of SSML are found in a text, however it is cut."""

import pytest

from service.api.ssml_in_parts import SsmlInParts
from service.errors import TextTooLongError

DOCUMENT = (
    '<?xml version="1.0"?><speak><!-- </speak> --><par><media><speak a="1">Hi</speak></media><media><speak/></media>'
    "</par><![CDATA[</speak>]]></speak>"
)


def found(text, cuts, max_length=1_000):
    parts, start, given = SsmlInParts(max_length), 0, []
    for end in [*cuts, len(text)]:
        given += parts.add(text[start:end])
        start = end
    return [*given, *parts.rest()]


@pytest.mark.parametrize(
    ("text", "documents", "between"),
    [
        (f"{DOCUMENT} and <speak>so</speak>", [DOCUMENT], " and <speak>so</speak>"),
        (f"{DOCUMENT}\n<s:speak>A</s:speak >{DOCUMENT}", [DOCUMENT, "\n<s:speak>A</s:speak >", DOCUMENT], ""),
        ("<speaker>no</speaker>", [], "<speaker>no</speaker>"),
        ("<speak>open", ["<speak>open"], ""), ("<sp", [], "<sp"),
    ],
)  # fmt: skip
def test_a_document_is_found_wherever_it_is_cut(text, documents, between):
    for cuts in [[at] for at in range(len(text))] + [list(range(1, len(text)))]:
        parts = found(text, cuts)
        assert [part for part, is_document in parts if is_document] == documents
        assert "".join(part for part, is_document in parts if not is_document) == between


def test_a_document_has_a_length_at_most():
    parts = SsmlInParts(100)
    with pytest.raises(TextTooLongError):
        list(parts.add(f"<speak>{'x' * 100}"))
    assert list(parts.add("<speak>a</speak>")) == [("<speak>a</speak>", True)]
