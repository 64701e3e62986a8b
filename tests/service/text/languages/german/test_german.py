"""German texts are read as their authors say; those that nobody reads are left to measurements."""

import pytest

from bench.readings.annotations import FOLDER, parse, units
from bench.readings.learning import is_allowed
from tests.service.text.whole_reading import read

SIGNS = frozenset("*#=~_^<>|\\@&%+/$€£°§")


def visible():
    """Yield the annotated texts that authors of rules may look at."""
    for name in ("de", "de-own", "de-more"):
        lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            text = parse(f"{name}:{number}", line)
            if name == "de-own" or not text.unread:
                yield text


def test_annotated_texts_are_read_as_they_may_be(espeak_front_end):
    misses = []
    texts = list(visible())
    for text in texts:
        said = read(espeak_front_end, text.text, "de").normalized
        if not is_allowed(text, units(said)) or SIGNS & set(said):
            misses.append(f"{text.place}: {text.text!r} is read as {said!r}")
    assert len(misses) <= 0.04 * len(texts), "\n".join(misses)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Python 3.12 ist da.", "drei Punkt"),
        ("Er kam um 8. Peter ging.", "um acht. Peter"),
        ("Die Nummer ist 7. Das reicht.", "sieben. Das"),
        ("So ist das, do it yourself.", "So ist das, do it yourself"),
        ("Um 14:11 Uhr stand es 14:11.", "vierzehn Uhr elf stand es vierzehn zu elf"),
    ],
)
def test_what_looks_alike_is_told_apart(espeak_front_end, text, said):
    assert said in read(espeak_front_end, text, "de").normalized
