"""The ONNX backend test suite has the same results through ortffi and through the package."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest
from tests.conformance.onnx_suite import CATEGORIES, UNDEFINED, cases, difference, outcome
from tests.conformance.two_sides import COUNTS, Ortffi, Package

AT_LEAST = {"node": 1000, "simple": 15, "pytorch-converted": 50, "pytorch-operator": 20}
"""Cases that pass, so that agreeing in refusing everything is not enough."""


@pytest.mark.parametrize("category", CATEGORIES)
def test_exactly_the_cases_pass_that_pass_through_the_package(category, onnxruntime, record_property):
    counts: dict[str, Counter[str]] = {"": Counter(), " (lowered)": Counter()}
    differences = []

    def compare(case, count):
        """Returns whether both sides refused to load the model."""
        ours = outcome(Ortffi, case)
        theirs = outcome(partial(Package, onnxruntime), case)
        passes = ours.passes(case), theirs.passes(case)
        if passes == (True, True):
            count["passing in both"] += 1
        elif passes == (False, False):
            stage = "wrong outputs" if ours.outputs is not None else ours.stage
            count[f"failing in both ({stage})"] += 1
        else:
            count["passing in one only"] += 1
            differences.append(f"{case.name} passes in one only")
        if any(passes) or case.name not in UNDEFINED:
            differs = difference(ours, theirs)
            if differs is not None:
                differences.append(f"{case.name}: {differs}")
        return ours.stage == theirs.stage == "load"

    for case in cases(category):
        if compare(case, counts[""]) and case.lowered is not None:
            compare(case.lowered, counts[" (lowered)"])

    for suffix, count in counts.items():
        if count:
            numbers = ", ".join(f"{number} {what}" for what, number in sorted(count.items()))
            line = f"ONNX suite, {category}{suffix}: {sum(count.values())} cases, {numbers}"
            record_property(COUNTS, line)
    assert not differences, "\n".join(differences)
    assert counts[""]["passing in both"] >= AT_LEAST[category]
