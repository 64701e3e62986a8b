"""ortffi against the onnxruntime Python package, on a model that does almost nothing.

The model is `y = Identity(x)` in float32. Both sides have one thread, and both sessions are in one
process. Each value is the mean of many runs. "Unnamed dimension" is the same model without a name
for its dimension, so that the length of the output is unknown before the run.

"IoBinding" writes new numbers into the bound input, runs, and reads the bound output. Ours assigns
to an array, calls `run` and reads an array; theirs calls `update_inplace`, `run_with_iobinding` and
`numpy()`. "Run alone" is only the run; about 1.4 µs of it are ONNX Runtime's own on either side.

Tensors of 1 to 100 MB go in and come out of `run` with its defaults. Neither side copies them, so
the model's own copy is the minimum. "In place" is our IoBinding, which makes no other copy, against
the package's as its documentation shows it: `bind_cpu_input`, `bind_output`, `run_with_iobinding`,
`copy_outputs_to_cpu`.

Memory is VmRSS of a fresh process that has run the model once.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import ortffi
from bench.processes import answer, python
from bench.report import Bound, Row, ratio
from bench.timing import alternate

REPEATS = 21

_RUNS = 5000
_MEGABYTES = (1, 10, 100)
_MEGABYTES_PER_VALUE = 300


def measure(repeats: int) -> list[Row]:
    named, unnamed = (_Pair(dimension) for dimension in ("n", None))
    small = np.arange(4, dtype=np.float32)
    rows = [
        _run("run", named, small, _RUNS, repeats),
        _run("run, unnamed dimension", unnamed, small, _RUNS, repeats),
        *_io_binding(named, small, repeats),
    ]
    for megabytes in _MEGABYTES:
        rows += _tensors(named, megabytes, repeats)
    return [*rows, _memory(max(3, repeats // 4))]


class _Pair:
    """A session of each side for the same model."""

    def __init__(self, dimension: str | None) -> None:
        model = _identity(dimension)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        providers = ["CPUExecutionProvider"]
        self.theirs = onnxruntime.InferenceSession(model, options, providers=providers)
        self.ours = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)


def _run(name: str, pair: _Pair, x: np.ndarray, runs: int, repeats: int) -> Row:
    inputs = {"x": x}
    pairs = alternate(
        lambda: _microseconds(lambda: pair.ours.run(inputs), runs),
        lambda: _microseconds(lambda: pair.theirs.run(None, inputs), runs),
        repeats,
        warm_ups=2,
    )
    return ratio(name, pairs, "µs", Bound(1.0))


def _io_binding(pair: _Pair, x: np.ndarray, repeats: int) -> list[Row]:
    place, result = x.copy(), np.zeros_like(x)
    binding = pair.ours.bind({"x": place}, {"y": result})
    their_x, their_y = map(onnxruntime.OrtValue.ortvalue_from_numpy, (x, np.zeros_like(x)))
    their_binding = pair.theirs.io_binding()
    their_binding.bind_ortvalue_input("x", their_x)
    their_binding.bind_ortvalue_output("y", their_y)

    def ours() -> np.ndarray:
        place[...] = x
        binding.run()
        return result

    def theirs() -> np.ndarray:
        their_x.update_inplace(x)
        pair.theirs.run_with_iobinding(their_binding)
        return their_y.numpy()

    whole = _alternate(ours, theirs, _RUNS, repeats)
    alone = _alternate(
        binding.run, lambda: pair.theirs.run_with_iobinding(their_binding), _RUNS, repeats
    )
    return [
        ratio("IoBinding", whole, "µs", Bound(0.6)),
        ratio("IoBinding, run alone", alone, "µs"),
    ]


def _tensors(pair: _Pair, megabytes: int, repeats: int) -> list[Row]:
    x = np.random.default_rng(0).random(megabytes * 250_000, np.float32)
    inputs, result = {"x": x}, np.zeros_like(x)
    runs = _MEGABYTES_PER_VALUE // megabytes
    binding = pair.ours.bind(inputs, {"y": result})
    their_binding = pair.theirs.io_binding()

    def theirs() -> list[np.ndarray]:
        their_binding.bind_cpu_input("x", x)
        their_binding.bind_output("y")
        pair.theirs.run_with_iobinding(their_binding)
        outputs: list[np.ndarray] = their_binding.copy_outputs_to_cpu()
        return outputs

    in_place = _alternate(binding.run, theirs, runs, repeats)
    return [
        _run(f"run, {megabytes} MB in and out", pair, x, runs, repeats),
        ratio(f"in place, {megabytes} MB in and out", in_place, "µs", Bound(0.5)),
    ]


def _memory(repeats: int) -> Row:
    pairs = alternate(
        lambda: _mebibytes(_OURS),
        lambda: _mebibytes(_THEIRS),
        repeats,
        warm_ups=1,
    )
    return ratio("resident memory", pairs, "MiB")


_OURS = """
import numpy, ortffi
session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)
session.run({"x": numpy.zeros(4, "float32")})
"""
_THEIRS = """
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
session.run(None, {"x": numpy.zeros(4, "float32")})
"""
_TELL = """
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmRSS")))
"""


def _mebibytes(program: str) -> float:
    model = f"model = bytes.fromhex({_identity('n').hex()!r})"
    with python("-c", f"{model}\n{program}\n{_TELL}") as process:
        return int(answer(process)) / 1024


def _alternate(
    ours: Callable[[], object], theirs: Callable[[], object], runs: int, repeats: int
) -> list[tuple[float, float]]:
    return alternate(
        lambda: _microseconds(ours, runs),
        lambda: _microseconds(theirs, runs),
        repeats,
        warm_ups=2,
    )


def _microseconds(call: Callable[[], object], runs: int) -> float:
    return timeit.timeit(call, number=runs) / runs * 1e6


def _identity(dimension: str | None) -> bytes:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [dimension]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", [x], [y])
    opset = helper.make_opsetid("", 13)
    model = helper.make_model(graph, ir_version=8, opset_imports=[opset])
    onnx.checker.check_model(model)
    return model.SerializeToString()
