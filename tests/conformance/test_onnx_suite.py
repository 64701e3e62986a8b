"""The ONNX backend test suite has the same results through ortffi and through the package.

The suite's own runner is not used, for it knows only whether a case passes. Here both sides get
the same model and the same inputs, and everything that they do is compared: where they stop, the
code and the words of the error, the bits of the outputs, and whether those are what the suite
expects.
"""

import re
import warnings
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from ortffi import OrtError
from tests.conformance.two_sides import Ortffi, Package, same

CATEGORIES = ("node", "simple", "pytorch-converted", "pytorch-operator")
"""All but `real`, whose models are downloaded or have random weights."""

UNDEFINED = ("test_reversesequence_batch (lowered)",)
"""ONNX Runtime 1.23 writes nothing for a sequence of length 0: the row is whatever was in the memory."""

REPEATS = 4
"""Runs with every data set. ortffi does the first ones in another way than those that follow."""


@dataclass(frozen=True)
class Case:
    """A model, inputs for it in its order, and the outputs that they should give."""

    name: str
    model: Any
    data_sets: Any
    rtol: float
    atol: float


def cases(category):
    with warnings.catch_warnings():
        # The suite makes its cases on import, with overflows that it means to have and in ways
        # that a newer numpy deprecates.
        warnings.simplefilter("ignore")
        found = sorted(load_model_tests(kind=category), key=lambda test: test.name)
    return [_of_files(test) if test.model is None else _of_memory(test) for test in found]


def _of_memory(test):
    data_sets = [([*map(_array, ins)], [*map(_array, outs)]) for ins, outs in test.data_sets or ()]
    return Case(test.name, test.model.SerializeToString(), data_sets, test.rtol, test.atol)


def _of_files(test):
    folder = Path(test.model_dir or "")
    graph = onnx.load(folder / "model.onnx").graph
    data_sets = [
        (_read(data, "input", graph.input), _read(data, "output", graph.output))
        for data in sorted(folder.glob("test_data_set*"))
    ]
    return Case(test.name, folder / "model.onnx", data_sets, test.rtol, test.atol)


def _read(folder, what, ends):
    found = []
    for index in range(len(list(folder.glob(f"{what}_*.pb")))):
        content = (folder / f"{what}_{index}.pb").read_bytes()
        if ends[index].type.HasField("sequence_type"):
            sequence = onnx.SequenceProto.FromString(content)
            found.append([_array(item) for item in numpy_helper.to_list(sequence)])
        else:
            found.append(numpy_helper.to_array(onnx.TensorProto.FromString(content)))
    return found


def _array(item):
    """An array for whatever the suite has in place of one: a message, a numpy scalar."""
    if isinstance(item, onnx.TensorProto):
        return numpy_helper.to_array(item)
    if isinstance(item, list | tuple):
        return [_array(part) for part in item]
    return None if item is None else np.asarray(item)


@dataclass(frozen=True)
class Outcome:
    """How far one side came with a case."""

    outputs: Any  # of every repetition, of every data set
    error: Any = None  # why there are none
    stage: str = "outputs"  # what went wrong, `load` or `run`, or `outputs`

    def passes(self, case):
        """Whether the first outputs are what the suite expects, by its own measure."""
        if self.outputs is None:
            return False
        try:
            for (_, expected), found in zip(case.data_sets, self.outputs[0], strict=True):
                Runner.assert_similar_outputs(expected, found, case.rtol, case.atol)
        except Exception:  # of a type that it cannot compare, too
            return False
        return True


def outcome(make, case):
    """Load the model and run it with all inputs, on the side that `make` makes."""
    try:
        side = make(case.model)
    except Exception as error:
        return Outcome(None, error, "load")
    try:
        # Of inputs that have an initializer too, the suite gives none.
        named = [dict(zip(side.input_names, inputs, strict=False)) for inputs, _ in case.data_sets]
        return Outcome([[side.run(inputs) for inputs in named] for _ in range(REPEATS)])
    except Exception as error:
        return Outcome(None, error, "run")


def difference(ours, theirs):
    """What differs between the two sides, in words; None where nothing does."""
    if ours.stage != theirs.stage:
        return f"ortffi: {ours.stage} {ours.error!r}; package: {theirs.stage} {theirs.error!r}"
    if ours.outputs is None:
        left, right = _spell(ours.error), _spell(theirs.error)
        return None if left == right else f"ortffi says {left!r}, the package {right!r}"
    if not same(ours.outputs, theirs.outputs):
        return f"ortffi gives {ours.outputs}, the package {theirs.outputs}"
    return None


def _spell(error):
    """Code and message of an error of ONNX Runtime's, whichever side it comes from."""
    if isinstance(error, OrtError):
        return f"{int(error.code)} {error.message}"
    return re.sub(r"(?s)^.*\[ONNXRuntimeError\] : (\d+) : \w+ : ", r"\1 ", str(error))


@cache
def newest_versions():
    """The newest versions of IR and opset of which the library loads a model."""

    def loads(ir_version, opset):
        start = f'<ir_version: {ir_version}, opset_import: ["": {opset}]> g (float[1] x) => (float[1] y)'
        model = parser.parse_model(f"{start} {{ y = Identity (x) }}").SerializeToString()
        return outcome(Ortffi, Case("", model, (), 0, 0)).stage != "load"

    ir_version = next(n for n in range(onnx.IR_VERSION, 0, -1) if loads(n, 13))
    return ir_version, next(n for n in range(onnx.defs.onnx_opset_version(), 0, -1) if loads(ir_version, n))


def lowered(case):
    """The same in the newest versions that the library takes, in which most operators are the same."""
    model, (ir_version, newest) = onnx.ModelProto.FromString(case.model), newest_versions()
    model.ir_version = min(model.ir_version, ir_version)
    for opset in model.opset_import:
        opset.version = min(opset.version, newest) if not opset.domain else opset.version
    return replace(case, name=f"{case.name} (lowered)", model=model.SerializeToString())


AT_LEAST = {"node": 1000, "simple": 15, "pytorch-converted": 50, "pytorch-operator": 20}
"""Cases that pass, so that agreeing in refusing everything is not enough."""


@pytest.mark.parametrize("category", CATEGORIES)
def test_exactly_the_cases_pass_that_pass_through_the_package(category, onnxruntime):
    passing, differences = [], []

    def compare(case):
        """Returns whether both sides refused to load the model."""
        ours, theirs = outcome(Ortffi, case), outcome(partial(Package, onnxruntime), case)
        passes = ours.passes(case), theirs.passes(case)
        if all(passes):
            passing.append(case)
        elif any(passes):
            differences.append(f"{case.name} passes in one only")
        differs = difference(ours, theirs)
        if differs is not None and (any(passes) or case.name not in UNDEFINED):
            differences.append(f"{case.name}: {differs}")
        return ours.stage == theirs.stage == "load"

    for case in cases(category):
        if compare(case) and isinstance(case.model, bytes):
            compare(lowered(case))
    assert not differences, "\n".join(differences)
    assert len([case for case in passing if "(lowered)" not in case.name]) >= AT_LEAST[category]
