"""A file in parts, or a version of it: whatever headers say, the answer is that of RFC 9110."""

import asyncio
import re
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import example
from hypothesis import strategies as st

from service.api.middleware.methods import Methods
from service.api.seekable_file import SeekableFile, parse_ranges
from tests.profiles import given

CONTENT = bytes(range(100))
HUGE = "9" * 5000


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "sound").write_bytes(CONTENT)
    (folder / "empty").write_bytes(b"")
    app = FastAPI()

    @app.get("/{name}")
    async def file(name: str):
        return SeekableFile(Path(folder, name), media_type="audio/mpeg")

    app.add_middleware(Methods, routes=app.routes)
    return app


def ask(app, *ranges, name="sound", method="GET", **headers):
    async def asked():
        transport = httpx.ASGITransport(app)
        fields = [("range", value.encode()) for value in ranges]
        fields += [(key.replace("_", "-"), value.encode("latin-1")) for key, value in headers.items()]
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, f"/{name}", headers=fields)

    return asyncio.run(asked())


NUMBERS = st.one_of(
    st.integers(0, 120).map(str),
    st.sampled_from(["", HUGE, "0" * 5000 + "7", "+5", "-1", "1_0", "٣", "1e3", "0x10", " 5"]),
)
RANGES = st.builds("{}-{}".format, NUMBERS, NUMBERS)
HEADERS = st.one_of(
    st.builds(
        "{}{}".format,
        st.sampled_from(["bytes=", "Bytes=", "bytes = ", "bytes", "seconds=", "", "bytes=,"]),
        st.lists(st.one_of(RANGES, st.text("0123456789-, \t", max_size=8)), max_size=5).map(", ".join),
    ),
    st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=20),
)


@given(HEADERS)
@example(f"bytes={HUGE}-")
@example(f"bytes=0-{HUGE}")
@example(f"bytes=-{HUGE}")
@example(f"bytes={HUGE}-{HUGE}")
@example("bytes=" + "0-0," * 2000)
def test_every_header_gets_a_part_the_whole_or_416(app, header):
    answer = ask(app, header)
    n_bytes = len(CONTENT)
    if answer.status_code == 200:
        assert answer.content == CONTENT
    elif answer.status_code == 206 and "content-range" in answer.headers:
        match = re.fullmatch(rf"bytes (\d+)-(\d+)/{n_bytes}", answer.headers["content-range"])
        assert match is not None
        assert answer.content == CONTENT[int(match[1]) : int(match[2]) + 1]
    elif answer.status_code == 206:
        assert answer.headers["content-type"].startswith("multipart/byteranges")
        assert len(parse_ranges(header) or ()) > 1
    else:
        assert answer.status_code == 416
        assert answer.headers["content-range"] == f"bytes */{n_bytes}"
    # Only what RFC 9110 allows is understood.
    if not re.match(r"(?i)bytes=[0-9 ,\t-]*$", header.strip()):
        assert answer.status_code == 200


@pytest.mark.parametrize(("header", "status", "expected"), [
    ("bytes=0-0", 206, CONTENT[:1]), ("BYTES=10-", 206, CONTENT[10:]), ("bytes=-5", 206, CONTENT[-5:]),
    ("bytes=-500", 206, CONTENT), ("bytes=90-500", 206, CONTENT[90:]), (f"bytes=90-{HUGE}", 206, CONTENT[90:]),
    (f"bytes=-{HUGE}", 206, CONTENT), (f"bytes={'0' * 5000}7-8", 206, CONTENT[7:9]),
    ("bytes=5-6,", 206, CONTENT[5:7]), ("bytes=5-6, 700-800", 206, CONTENT[5:7]), ("bytes=100-", 416, None),
    ("bytes=-0", 416, None), (f"bytes={HUGE}-", 416, None), ("bytes=200-300, 400-", 416, None),
    ("bytes=6-5", 200, CONTENT), ("bytes=5 - 6", 200, CONTENT), ("bytes=5-6, x", 200, CONTENT),
    ("bytes=+5-6", 200, CONTENT), ("bytes=1_0-2_0", 200, CONTENT), ("bytes=-", 200, CONTENT),
    ("bytes=", 200, CONTENT), ("bytes 5-6", 200, CONTENT), ("seconds=5-6", 200, CONTENT),
])  # fmt: skip
def test_ranges_are_those_of_the_rfc(app, header, status, expected):
    answer = ask(app, header)
    assert answer.status_code == status
    if expected is not None:
        assert answer.content == expected


def test_several_parts_come_in_one_answer(app):
    answer = ask(app, "bytes=0-1,98-")
    assert answer.status_code == 206
    for part in (b"bytes 0-1/100\r\n\r\n\x00\x01", b"bytes 98-99/100\r\n\r\nbc"):
        assert part in answer.content


def test_a_range_is_for_get_and_for_the_version_that_it_names(app):
    whole = ask(app)
    assert whole.headers["accept-ranges"] == "bytes"
    assert ask(app, "bytes=5-6", if_range=whole.headers["etag"]).status_code == 206
    for header in ("bytes=5-6", "bytes=900-"):
        assert ask(app, header, if_range='"another"').content == CONTENT
    assert ask(app, "bytes=5-6", "bytes=7-8").content == CONTENT
    head = ask(app, "bytes=5-6", method="HEAD")
    assert (head.status_code, head.headers["content-length"]) == (200, "100")


EARLIER, LATER = "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"
NO_DATES = (
    "yesterday", "0", "", "1994-11-06", EARLIER[:-4], EARLIER.replace("06", "66"),
    EARLIER.replace("Nov", "Abc"), EARLIER.replace(":37", ":61"), EARLIER.replace("06", "00"),
)  # fmt: skip


def test_preconditions_are_those_of_the_rfc(app):
    whole = ask(app)
    tag, date = whole.headers["etag"], whole.headers["last-modified"]
    cases = [
        *[(200, {"if_match": known}) for known in (tag, "*", f'"a", {tag}', f'"a,b" ,,{tag},')],
        *[(412, {"if_match": other}) for other in ('"a"', f"W/{tag}", tag[1:-1], "", f"{tag} x")],
        *[(304, {"if_none_match": known}) for known in (tag, f"W/{tag}", "*", f'W/"a,b", {tag}')],
        *[(200, {"if_none_match": other}) for other in ('"a"', tag[1:-1], "", f"{tag}{tag}", '"')],
        *[(304, {"if_modified_since": since}) for since in (date, LATER)], (200, {"if_modified_since": EARLIER}),
        *[(200, {"if_unmodified_since": since}) for since in (date, LATER)],
        # The older forms of a date.
        (412, {"if_unmodified_since": EARLIER}), (412, {"if_unmodified_since": "Sunday, 06-Nov-94 08:49:37 GMT"}),
        (412, {"if_unmodified_since": "Sun Nov  6 08:49:37 1994"}),
        (304, {"if_modified_since": "Sun Nov 16 08:49:37 2999"}),
        *[(200, {name: no_date}) for no_date in NO_DATES for name in ("if_modified_since", "if_unmodified_since")],
        # A tag counts, and the date beside it does not.
        (200, {"if_match": tag, "if_unmodified_since": EARLIER}),
        (412, {"if_match": '"a"', "if_unmodified_since": LATER}),
        (200, {"if_none_match": '"a"', "if_modified_since": LATER}),
        (304, {"if_none_match": tag, "if_modified_since": EARLIER}),
        # Who expects one version and has it gets no other answer than who has it.
        (304, {"if_match": tag, "if_none_match": tag}), (412, {"if_match": '"a"', "if_none_match": tag}),
    ]  # fmt: skip
    missed = []
    for status, headers in cases:
        for method in ("GET", "HEAD"):
            answer = ask(app, method=method, **headers)
            versions = (answer.headers.get("etag"), answer.headers.get("last-modified"))
            content = CONTENT if (status, method) == (200, "GET") else b""
            if answer.status_code != status or (status != 412 and (versions, answer.content) != ((tag, date), content)):
                missed.append((method, headers, answer))
    assert not missed


def test_preconditions_come_before_ranges(app):
    tag = ask(app).headers["etag"]
    for header in ("bytes=5-6", "bytes=900-"):
        assert ask(app, header, if_none_match=tag).status_code == 304
        assert ask(app, header, if_match='"another"').status_code == 412
    assert ask(app, "bytes=5-6", if_match=tag, if_none_match='"another"').status_code == 206
    assert ask(app, "bytes=5-6", if_match=tag, if_range='"another"').status_code == 200


WRITTEN = st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=30)


@given(
    st.dictionaries(
        st.sampled_from(["if_match", "if_none_match", "if_modified_since", "if_unmodified_since"]),
        st.one_of(WRITTEN, st.sampled_from(["*", 'W/"', EARLIER, LATER, *NO_DATES])),
    )
)
def test_no_precondition_is_an_error(app, headers):
    assert ask(app, **headers).status_code in (200, 304, 412)


def test_a_file_without_bytes_or_that_is_gone(app):
    assert ask(app, name="empty").content == b""
    assert ask(app, "bytes=0-", name="empty").status_code == 416
    assert ask(app, "bytes=-5", name="empty").status_code == 416
    assert ask(app, "bytes=0-", name="removed").status_code == 404
