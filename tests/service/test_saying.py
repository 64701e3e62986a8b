"""What the command `say` makes of its arguments."""

import pytest
from service.errors import InvalidRequestError
from service.saying import normalization_of

from service.text import USUAL, Normalization


@pytest.mark.parametrize(
    ("option", "normalization"),
    [
        ("true", USUAL), ("false", None), ("urls=short", Normalization(urls="short")),
        ("urls=skip, code=skip,markdown=false", Normalization("skip", None, False, "skip")),
        ('{"emoji": "name", "numbers_as": "digits"}', Normalization(emoji="name", numbers_as="digits")),
        ('{"markdown": false}', Normalization(markdown=False)), ("{}", USUAL),
    ],
)  # fmt: skip
def test_choices_are_those_of_synthesize(option, normalization):
    assert normalization_of(option) == normalization


@pytest.mark.parametrize("option", ["", "yes", "urls", "urls=", "urls=long", "x=1", "{", "[]", '{"x": 1}'])
def test_other_choices_are_refused_by_name(option):
    with pytest.raises(InvalidRequestError, match=r"^--normalize"):
        normalization_of(option)
