"""ortffi and a library agree on an API version."""

from __future__ import annotations

import re

import pytest
from ortffi._table import API_VERSION
from ortffi.library import negotiate

from ortffi import ApiVersionError


class GetApi:
    """`OrtApiBase::GetApi` of a library with some API versions, which writes down the questions."""

    def __init__(self, *versions):
        self.versions = versions
        self.asked: list[int] = []

    def __call__(self, version):
        self.asked.append(version)
        return 1000 + version if version in self.versions else None


@pytest.mark.parametrize(
    ("version", "offered", "asked", "answer"),
    [
        ("1.99.1", range(1, 100), [API_VERSION], (1000 + API_VERSION, API_VERSION, 99)),
        ("1.17.0", range(1, 18), [17], (1017, 17, 17)),
        ("1.14.0", range(1, 15), [14], (1014, 14, 14)),
        ("1.11.1", range(1, 12), [11], (1011, 11, 11)),
        ("1.20.0-dev", range(1, 21), [20], (1020, 20, 20)),
        ("1.17.1", range(1, 14), [17, 16, 15, 14, 13], (1013, 13, 17)),
        ("1.14.0", [11], [14, 13, 12, 11], (1011, 11, 14)),
    ],
)
def test_an_api_version_is_agreed_on_without_asking_too_much(version, offered, asked, answer):
    get_api = GetApi(*offered)
    assert negotiate(version, get_api, "here") == answer
    assert get_api.asked == asked


@pytest.mark.parametrize(("version", "n_asked"), [("1.10.0", 0), ("1.8.1", 0), ("1.17.1", 7)])
def test_a_library_that_is_too_old_is_told_what_was_wanted(version, n_asked):
    get_api = GetApi(*range(1, 11))
    with pytest.raises(ApiVersionError) as caught:
        negotiate(version, get_api, "/opt/lib.so")
    for part in ("/opt/lib.so", version, "11", str(API_VERSION)):
        assert part in str(caught.value)
    assert len(get_api.asked) == n_asked


@pytest.mark.parametrize("version", ["", "nonsense", "2.0.0", "1", "1.x.0", "11.17.0", "v1.17.0"])
def test_a_version_that_is_none_is_refused(version):
    get_api = GetApi(*range(1, 40))
    with pytest.raises(ApiVersionError, match=re.escape(repr(version))):
        negotiate(version, get_api, "here")
    assert not get_api.asked
