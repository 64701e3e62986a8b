"""The library's own functions through ctypes: variants, stages and operators."""

import contextlib
import ctypes
import importlib.util
import os
import platform
from ctypes import byref, c_char_p, c_float, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path

import numpy as np

from service.preparation.layout import Layout
from tests.native import kokoro_reference as reference

NATIVE = Path(__file__).parents[2] / "native"


def load_script(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


native_build = load_script(NATIVE / "build.py")
# The variants of this processor's family, whether or not it runs them.
FAMILY = [*native_build.VARIANTS.get(platform.machine(), {}), "portable"]


def structure(name, integers="", floats="", pointers=""):
    """Return a structure of C with these members, one kind behind the other."""
    kinds = ((integers, c_int64), (floats, c_float), (pointers, c_void_p))
    fields = [(member, kind) for members, kind in kinds for member in members.split()]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


ConvolutionArguments = structure(
    "ConvolutionArguments",
    "rows in_channels out_channels kernel_size dilation stride pad_begin pad_end weight_taps run_taps",
    "weight_scale epsilon negative_slope output_scale",
    "x weight weight_sums runs bias statistics style alpha residual addend weight_scales float_bias",
)
FloatConvolutionArguments = structure(
    "FloatConvolutionArguments",
    "rows in_channels out_channels kernel_size pad_begin pad_end stride pad reflect",
    "negative_slope",
    "x weight bias residual",
)
HarmonicSourceArguments = structure(
    "HarmonicSourceArguments", "frames harmonics factor", "amplitude threshold silence", "phase f0 weight bias"
)
MatrixArguments = structure("MatrixArguments", pointers="weight weight_sums runs weight_scales")


class LstmArguments(ctypes.Structure):
    _fields_ = [
        *((name, c_int64) for name in ("rows", "in_channels", "hidden")),
        ("x", c_void_p), ("input", MatrixArguments), ("recurrent", MatrixArguments), ("bias", c_void_p),
    ]  # fmt: skip


@cache
def compiled():
    """Return the library that `NATIVE_TEST_LIBRARY` names, or else compile it."""
    named = os.environ.get("NATIVE_TEST_LIBRARY")
    return Path(named) if named else Path(native_build.build())


@cache
def library(path=None):
    loaded = ctypes.CDLL(str(path or compiled()))
    for name in (
        "variant_name", "variant_in_use", "variant_refusal", "convolve", "quantize", "convolve_integers",
        "convolve_floats", "convolve_transposed", "channel_statistics", "synthesize", "polar_to_cartesian", "recur",
    ):  # fmt: skip
        getattr(loaded, f"kokoro_{name}").restype = c_char_p
    return loaded


def variants(path=None):
    """Those in the library, fastest first."""
    names = []
    while name := library(path).kokoro_variant_name(len(names)):
        names.append(name.decode())
    return names


def runnable():
    loaded = library()
    permitted = (i for i in range(len(variants())) if not loaded.kokoro_variant_refusal(i))
    return [variants()[i] for i in permitted if loaded.kokoro_variant_runs(i)]


def layout():
    """Of the weights that the variant in use reads."""
    return Layout(library().kokoro_layout())


@contextlib.contextmanager
def using(variant):
    before = library().kokoro_variant_in_use()
    assert library().kokoro_use_variant(variant.encode()) == 0
    try:
        yield
    finally:
        library().kokoro_use_variant(before)


class RefusedError(Exception):
    """What a function of the library says is wrong."""


def _call(name, *arguments):
    """Call a function of the library with numbers, arrays, structures by reference and their pointers."""
    wrong = getattr(library(), f"kokoro_{name}")(
        *(c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments)
    )
    if wrong:
        raise RefusedError(wrong.decode())


def _filled(kind, **values):
    """Make a structure; an array is pointed to, and kept by what is made."""
    kept = {n: np.ascontiguousarray(v) for n, v in values.items() if isinstance(v, np.ndarray)}
    made = kind(**values | {name: array.ctypes.data for name, array in kept.items()})
    made.kept = kept
    return made


def _nan(*shape):
    return np.full(shape, np.nan, np.float32)


def _same(c):
    return {name: value for name, value in vars(c).items() if name not in ("w", "pairs")}


def _arguments(c):
    return _filled(
        ConvolutionArguments, rows=c.x.shape[0], in_channels=c.x.shape[1], out_channels=c.w.shape[0],
        kernel_size=c.kernel_size, weight_taps=c.packed().shape[1], run_taps=c.runs().shape[1],
        weight=c.packed(layout()), weight_sums=c.weight_sums(), runs=c.runs(), **_same(c),
    )  # fmt: skip


def convolve(c):
    y, statistics = _nan(max(c.output_rows, 0), c.w.shape[0]), _nan(4, c.w.shape[0])
    _call("convolve", byref(_arguments(c)), y, statistics)
    return y, statistics


def quantize(c):
    q, scale, zero_point = np.empty(c.x.shape, np.uint8), c_float(), c_int32()
    _call("quantize", byref(_arguments(c)), q, byref(scale), byref(zero_point))
    return q, scale.value, zero_point.value


def convolve_integers(c, q, zero_point):
    total = np.empty((max(c.output_rows, 0), c.w.shape[0]), np.int32)
    _call("convolve_integers", byref(_arguments(c)), q, c_int32(zero_point), total)
    return total


def assert_exact(c, q, zero_point):
    assert np.array_equal(convolve_integers(c, q, zero_point), c.accumulators(q, zero_point))


def convolve_floats(c):
    out, inner, kernel = c.w.shape
    y = _nan(max(c.x.shape[0] + c.pad_begin + c.pad_end - kernel + 1, 0), out)
    arguments = _filled(
        FloatConvolutionArguments, rows=c.x.shape[0], in_channels=inner, out_channels=out, kernel_size=kernel,
        weight=reference.packed_floats(c.w), **_same(c),
    )  # fmt: skip
    _call("convolve_floats", byref(arguments), y)
    return y


def convolve_transposed(c):
    inner, out, _ = c.w.shape
    y, statistics = _nan(max(c.output_rows, 0), out), _nan(4, out)
    arguments = _filled(
        FloatConvolutionArguments, rows=c.x.shape[0], in_channels=inner, out_channels=out,
        weight=c.packed(), **_same(c),
    )  # fmt: skip
    _call("convolve_transposed", byref(arguments), y, statistics)
    return y, statistics


def channel_statistics(x):
    statistics = _nan(4, x.shape[1])
    _call("channel_statistics", x, *map(c_int64, x.shape), statistics)
    return statistics


def recur(lstm):
    def matrix(of):
        c = reference.matmul(lstm.x, of.w, of.scales)
        return _filled(
            MatrixArguments, weight=c.packed(layout()), weight_sums=c.weight_sums(), runs=c.runs(),
            weight_scales=of.scales,
        )  # fmt: skip

    y = _nan(lstm.x.shape[0], 2 * lstm.hidden)
    matrices = matrix(lstm.of_input), matrix(lstm.of_state)
    arguments = _filled(
        LstmArguments, rows=lstm.x.shape[0], in_channels=lstm.x.shape[1], hidden=lstm.hidden,
        x=lstm.x, input=matrices[0], recurrent=matrices[1], bias=lstm.bias,
    )  # fmt: skip
    _call("recur", byref(arguments), y)
    return y


def synthesize(s):
    frames, harmonics = s.phase.shape
    signal = _nan(frames * max(s.factor, 0))
    members = vars(s) | {"bias": np.float32([s.bias])}
    arguments = _filled(HarmonicSourceArguments, frames=frames, harmonics=harmonics, **members)
    _call("synthesize", byref(arguments), signal)
    return signal


def polar_to_cartesian(x):
    x, y = np.ascontiguousarray(x), _nan(*x.shape)
    _call("polar_to_cartesian", x, *map(c_int64, x.shape), y)
    return y
