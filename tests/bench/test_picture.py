import re
from xml.etree import ElementTree

import pytest
from bench.picture import stacked_bars

NAMESPACE = "{http://www.w3.org/2000/svg}"


def heights(svg):
    found = {}
    for rectangle in ElementTree.fromstring(svg).iter(f"{NAMESPACE}rect"):
        title = rectangle.find(f"{NAMESPACE}title")
        if title is not None and title.text is not None:
            found[title.text.partition(":")[0]] = float(rectangle.attrib["height"])
    return found


def test_heights_are_in_proportion_to_values():
    bars = {"one": {"a": 30.0, "b": 10.0}, "other": {"b": 20.0}}
    found = heights(stacked_bars("Title", "ms", bars, ["a", "b"]))
    assert found["one, a"] == pytest.approx(3 * found["one, b"], abs=0.2)
    assert found["other, b"] == pytest.approx(2 * found["one, b"], abs=0.2)
    assert found["other, a"] == 0


@pytest.mark.parametrize("highest", [0.003, 0.7, 1.0, 9.99, 10.0, 423.0, 12345.0])
def test_scale_has_a_few_round_ticks_at_most_as_high_as_the_highest_bar(highest):
    svg = stacked_bars("Title", "ms", {"one": {"a": highest}}, ["a"])
    ticks = [float(value) for value in re.findall(r"text-anchor='end'>([^<]+)<", svg)]
    assert 3 <= len(ticks) <= 8
    assert ticks[0] == 0
    assert ticks[-1] <= highest * 1.000001


def test_names_cannot_break_the_picture():
    svg = stacked_bars("<&>", "ms", {"<one>": {"a & b": 1.0}}, ["a & b"])
    texts = [text.text for text in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text")]
    assert "<&>" in texts
    assert "<one>" in texts


def test_unknown_layer_is_refused():
    with pytest.raises(ValueError, match="'b'"):
        stacked_bars("Title", "ms", {"one": {"b": 1.0}}, ["a"])
