"""Bytes that a client may send, events or not."""

import json

from hypothesis import strategies as st

LIMIT = 2000
"""Of lengths, around which headers are drawn."""

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)

_header_values = st.sampled_from([0, 1, 5, LIMIT, LIMIT + 1, -1, 1e300, True, None, "5", [], {}, {"text": "Hi"}])
_lines = st.one_of(
    st.binary(max_size=60),
    st.binary(max_size=60).map(lambda line: line + b"\n"),
    st.dictionaries(
        st.sampled_from(["type", "data", "data_length", "payload_length", "version"]),
        st.one_of(_header_values, st.just("ping")),
    ).map(lambda header: json.dumps(header).encode() + b"\n"),
    json_values.map(lambda value: json.dumps(value).encode() + b"\n"),
)
any_bytes = st.lists(_lines, max_size=5).map(b"".join)
