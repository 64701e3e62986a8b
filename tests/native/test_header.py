"""The slots of the library's own header against ortffi's table of the C API."""

import re

import pytest

from ortffi._table import TABLE
from tests.native import native_library

HEADER = (native_library.NATIVE / "ort_api.h").read_text()
SLOT = re.compile(r"SLOT\((\d+), ([\w *]+?), (\w+),\s*\((.*?)\)\)(?=\s*SLOT\(|\s*typedef)", re.DOTALL)
ROW = re.compile(r"^(\d+)\s+(\d+)\s+([\w* ]+?)\s*\b(\w+)\((.*?)\);", re.DOTALL | re.MULTILINE)

# What the header calls by the C type behind the name.
PLAIN = {"OrtErrorCode": "int", "OrtAllocatorType": "int", "OrtMemType": "int", "OrtCustomOp": "struct OrtCustomOp"}


def slots():
    text = HEADER[HEADER.index("#define ORT_SLOTS") :].replace("\\\n", "\n")
    return SLOT.findall(text)


def table():
    return {int(row[0]): row[1:] for row in ROW.findall(TABLE)}


def kinds(parameters):
    """The types of parameters, without their names."""
    if "(*)" in parameters:
        parameters = re.sub(r"void \(\*\)\(.*?\)", "void *", parameters)
    found = []
    for parameter in parameters.split(","):
        words = re.findall(r"\w+|\*", parameter)
        names_type = words[-1] == "*" or len([w for w in words if w not in ("const", "struct")]) == 1
        words = words if names_type else words[:-1]
        found.append(" ".join(PLAIN.get(word, word) for word in words).replace("struct struct", "struct"))
    return found


@pytest.mark.parametrize("slot", slots(), ids=lambda slot: slot[2])
def test_a_slot_is_the_tables(slot):
    index, returned, name, parameters = slot
    version, table_returned, table_name, table_parameters = table()[int(index)]
    assert (name, returned.replace(" ", "")) == (table_name, table_returned.replace(" ", ""))
    assert int(version) <= 17
    assert kinds(parameters) == kinds(table_parameters)


def test_the_header_has_slots_and_none_beyond_the_vtable_that_is_declared():
    declared = re.search(r"ORT_SLOTS_USED = (\d+)", HEADER)
    assert declared is not None
    assert max(int(slot[0]) for slot in slots()) < int(declared[1])
    assert len(slots()) == HEADER.count("    SLOT(") > 20
