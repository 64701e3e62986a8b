"""Reading a text takes time in proportion to its length, whatever is in it."""

import contextlib

import pytest

from service.errors import ServiceError
from service.text import LANGUAGES, FrontEnd, Passage, parse
from tests.service.long_runs import slow_runs

_PROSE = "On 12 May 1999 the quick brown fox jumped over 3.5 lazy dogs, at 10:30 a.m., for $5. "


@pytest.mark.parametrize(("language", "short"), [
    pytest.param("en-us", 2_000, marks=[pytest.mark.thorough, pytest.mark.alone]),
    *(pytest.param(language, 4_000, marks=pytest.mark.slow) for language in LANGUAGES),
])  # fmt: skip
def test_work_grows_in_proportion(language, short):
    front = FrontEnd()
    front.warm_up(language)

    def read(text):
        with contextlib.suppress(ServiceError):  # nothing to say, or no markup
            for passage in parse(text):
                if isinstance(passage, Passage):
                    front.check(passage, language)
                    for _ in front.read(passage, language):
                        pass

    assert not list(slow_runs(read, _PROSE, short=short))
