"""The ONNX backend test suite: its cases, and what comes of one on either side.

The suite's own runner is not used, for it knows only whether a case passes. Here both sides get
the same model and the same inputs, and everything that they do is compared: where they stop, the
code and the words of the error, the bits of the outputs, and whether those are what the suite
expects.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, helper, numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner
from tests.conformance.two_sides import Model, Ortffi, same

from ortffi import OrtError

CATEGORIES = ("node", "simple", "pytorch-converted", "pytorch-operator")
"""All but `real`, whose models are downloaded or have random weights."""

UNDEFINED = {
    "test_reversesequence_batch (lowered)": "ONNX Runtime 1.23 writes nothing for a sequence of "
    "length 0: the row is whatever was in the memory"
}
"""Cases whose outputs, where they are wrong, are not the same bits from run to run, and why."""

REPEATS = 4
"""Runs with every data set. ortffi does the first ones in another way than those that follow."""

DataSet = tuple[list[Any], list[Any]]


@dataclass(frozen=True)
class Case:
    """A model, inputs for it in its order, and the outputs that they should give.

    Attributes:
        lowered: the same with the newest versions of IR and opset that the library takes, where
            the model's are newer and it refuses it. Most operators are the same.
    """

    name: str
    model: Model
    data_sets: Sequence[DataSet]
    rtol: float
    atol: float
    lowered: Case | None = None


def cases(category):
    """The cases of a category, in the order of their names."""
    with warnings.catch_warnings():
        # The suite makes its cases on import, with overflows that it means to have and in ways
        # that a newer numpy deprecates.
        warnings.simplefilter("ignore")
        found = sorted(load_model_tests(kind=category), key=lambda test: test.name)
    return [_of_files(test) if test.model is None else _of_memory(test) for test in found]


def _of_memory(test):
    data_sets = [([*map(_array, ins)], [*map(_array, outs)]) for ins, outs in test.data_sets or ()]
    lowered = _lower(test.model)
    rest = data_sets, test.rtol, test.atol
    return Case(
        test.name, test.model.SerializeToString(), *rest, lowered and Case(f"{test.name} (lowered)", lowered, *rest)
    )


def _of_files(test):
    folder = Path(test.model_dir or "")
    graph = onnx.load(folder / "model.onnx").graph
    data_sets = [
        (_read(data, "input", graph.input), _read(data, "output", graph.output))
        for data in sorted(folder.glob("test_data_set*"))
    ]
    return Case(test.name, folder / "model.onnx", data_sets, test.rtol, test.atol)


def _read(folder, what, ends):
    found: list[Any] = []
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


def _lower(model):
    ir_version, opset_version = newest_versions()
    lowered = ModelProto()
    lowered.CopyFrom(model)
    lowered.ir_version = min(model.ir_version, ir_version)
    for opset in lowered.opset_import:
        if not opset.domain:
            opset.version = min(opset.version, opset_version)
    return None if lowered == model else lowered.SerializeToString()


@cache
def newest_versions():
    """The newest IR version and the newest opset of which the library loads a model."""
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [x], [y])

    def loads(ir_version, opset):
        opsets = [helper.make_opsetid("", opset)]
        model = helper.make_model(graph, ir_version=ir_version, opset_imports=opsets)
        try:
            Ortffi(model.SerializeToString())
        except OrtError:
            return False
        return True

    ir_version = next(n for n in range(onnx.IR_VERSION, 0, -1) if loads(n, 13))
    opset = next(n for n in range(onnx.defs.onnx_opset_version(), 0, -1) if loads(ir_version, n))
    return ir_version, opset


@dataclass(frozen=True)
class Outcome:
    """How far one side came with a case.

    Attributes:
        outputs: of every repetition, of every data set.
        error: why there are none.
        stage: what went wrong, `load` or `run`, or `outputs`.
    """

    outputs: list[list[list[Any]]] | None
    error: Exception | None = None
    stage: str = "outputs"

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
        named = [_named(side, inputs) for inputs, _ in case.data_sets]
        return Outcome([[side.run(inputs) for inputs in named] for _ in range(REPEATS)])
    except Exception as error:
        return Outcome(None, error, "run")


def _named(side, inputs):
    # Of inputs that have an initializer too, the suite gives none.
    return dict(zip(side.input_names, inputs, strict=False))


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
