"""The library's own functions through ctypes: variants, stages and operators."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import platform
from ctypes import byref, c_char_p, c_float, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from service.preparation.layout import Layout
from tests.native import kokoro_reference as reference

NATIVE = Path(__file__).parents[2] / "native"


def _load_build():
    spec = importlib.util.spec_from_file_location("native_build", NATIVE / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


native_build = _load_build()
# The variants of this processor's family, whether or not it runs them.
FAMILY = [*native_build.VARIANTS.get(platform.machine(), {}), "portable"]


class ConvolutionArguments(ctypes.Structure):
    _fields_ = [
        *((name, c_int64) for name in ("rows", "in_channels", "out_channels")),
        *((name, c_int64) for name in ("kernel_size", "dilation", "stride")),
        *((name, c_int64) for name in ("pad_begin", "pad_end", "weight_taps", "run_taps")),
        *((name, c_float) for name in ("weight_scale", "epsilon")),
        *((name, c_float) for name in ("negative_slope", "output_scale")),
        *((name, c_void_p) for name in ("x", "weight", "weight_sums", "runs")),
        *((name, c_void_p) for name in ("bias", "statistics")),
        *((name, c_void_p) for name in ("style", "alpha", "residual", "addend")),
        *((name, c_void_p) for name in ("weight_scales", "float_bias")),
    ]


class FloatConvolutionArguments(ctypes.Structure):
    _fields_ = [
        *((name, c_int64) for name in ("rows", "in_channels", "out_channels", "kernel_size")),
        *((name, c_int64) for name in ("pad_begin", "pad_end", "stride", "pad", "reflect")),
        ("negative_slope", c_float),
        *((name, c_void_p) for name in ("x", "weight", "bias", "residual")),
    ]


class MatrixArguments(ctypes.Structure):
    _fields_ = [(name, c_void_p) for name in ("weight", "weight_sums", "runs", "weight_scales")]


class LstmArguments(ctypes.Structure):
    _fields_ = [
        *((name, c_int64) for name in ("rows", "in_channels", "hidden")),
        ("x", c_void_p),
        ("input", MatrixArguments),
        ("recurrent", MatrixArguments),
        ("bias", c_void_p),
    ]


class HarmonicSourceArguments(ctypes.Structure):
    _fields_ = [
        *((name, c_int64) for name in ("frames", "harmonics", "factor")),
        *((name, c_float) for name in ("amplitude", "threshold", "silence")),
        *((name, c_void_p) for name in ("phase", "f0", "weight", "bias")),
    ]


@cache
def path():
    """Return the library that `NATIVE_TEST_LIBRARY` names, or else compile it."""
    named = os.environ.get("NATIVE_TEST_LIBRARY")
    return Path(named) if named else Path(native_build.build())


@cache
def library():
    loaded = ctypes.CDLL(str(path()))
    for name in ("variant_name", "variant_in_use", "convolve", "quantize", "convolve_integers"):
        getattr(loaded, f"kokoro_{name}").restype = c_char_p
    for name in ("convolve_floats", "convolve_transposed", "channel_statistics", "synthesize"):
        getattr(loaded, f"kokoro_{name}").restype = c_char_p
    for name in ("polar_to_cartesian", "recur"):
        getattr(loaded, f"kokoro_{name}").restype = c_char_p
    return loaded


def variants():
    """Those in the library, fastest first."""
    names = []
    while name := library().kokoro_variant_name(len(names)):
        names.append(name.decode())
    return names


def runnable():
    return [name for i, name in enumerate(variants()) if library().kokoro_variant_runs(i)]


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


def _check(wrong):
    if wrong:
        raise RefusedError(wrong.decode())


def _pointer(array, kept):
    if array is None:
        return None
    kept.append(np.ascontiguousarray(array))
    return int(kept[-1].ctypes.data)


def _arguments(c, kept):
    return ConvolutionArguments(
        rows=c.x.shape[0],
        in_channels=c.x.shape[1],
        out_channels=c.w.shape[0],
        kernel_size=c.kernel_size,
        dilation=c.dilation,
        stride=c.stride,
        pad_begin=c.pad_begin,
        pad_end=c.pad_end,
        weight_taps=c.packed().shape[1],
        run_taps=c.runs().shape[1],
        weight_scale=c.weight_scale,
        epsilon=c.epsilon,
        negative_slope=c.negative_slope,
        output_scale=c.output_scale,
        x=_pointer(c.x, kept),
        weight=_pointer(c.packed(layout()), kept),
        weight_sums=_pointer(c.weight_sums(), kept),
        runs=_pointer(c.runs(), kept),
        bias=_pointer(c.bias, kept),
        statistics=_pointer(c.statistics, kept),
        style=_pointer(c.style, kept),
        alpha=_pointer(c.alpha, kept),
        residual=_pointer(c.residual, kept),
        addend=_pointer(c.addend, kept),
        weight_scales=_pointer(c.weight_scales, kept),
        float_bias=_pointer(c.float_bias, kept),
    )


def convolve(c):
    """y and its statistics."""
    kept: list[Any] = []
    y = np.full((max(c.output_rows, 0), c.w.shape[0]), np.nan, np.float32)
    statistics = np.full((4, c.w.shape[0]), np.nan, np.float32)
    arguments = _arguments(c, kept)
    to = (c_void_p(y.ctypes.data), c_void_p(statistics.ctypes.data))
    _check(library().kokoro_convolve(byref(arguments), *to))
    return y, statistics


def quantize(c):
    kept: list[Any] = []
    q = np.empty(c.x.shape, np.uint8)
    scale, zero_point = c_float(), c_int32()
    arguments = _arguments(c, kept)
    to = (c_void_p(q.ctypes.data), byref(scale), byref(zero_point))
    _check(library().kokoro_quantize(byref(arguments), *to))
    return q, scale.value, zero_point.value


def convolve_integers(c, q, zero_point):
    kept: list[Any] = []
    total = np.empty((max(c.output_rows, 0), c.w.shape[0]), np.int32)
    arguments = _arguments(c, kept)
    given = (c_void_p(q.ctypes.data), c_int32(zero_point), c_void_p(total.ctypes.data))
    _check(library().kokoro_convolve_integers(byref(arguments), *given))
    return total


def convolve_floats(c):
    kept: list[Any] = []
    out, inner, kernel = c.w.shape
    rows = c.x.shape[0] + c.pad_begin + c.pad_end - kernel + 1
    y = np.full((max(rows, 0), out), np.nan, np.float32)
    arguments = FloatConvolutionArguments(
        rows=c.x.shape[0],
        in_channels=inner,
        out_channels=out,
        kernel_size=kernel,
        pad_begin=c.pad_begin,
        pad_end=c.pad_end,
        negative_slope=c.negative_slope,
        x=_pointer(c.x, kept),
        weight=_pointer(reference.packed_floats(c.w), kept),
        bias=_pointer(c.bias, kept),
    )
    _check(library().kokoro_convolve_floats(byref(arguments), c_void_p(y.ctypes.data)))
    return y


def convolve_transposed(c):
    kept: list[Any] = []
    inner, out, _ = c.w.shape
    y = np.full((max(c.output_rows, 0), out), np.nan, np.float32)
    statistics = np.full((4, out), np.nan, np.float32)
    arguments = FloatConvolutionArguments(
        rows=c.x.shape[0],
        in_channels=inner,
        out_channels=out,
        stride=c.stride,
        pad=c.pad,
        reflect=c.reflect,
        negative_slope=c.negative_slope,
        x=_pointer(c.x, kept),
        weight=_pointer(c.packed(), kept),
        bias=_pointer(c.bias, kept),
        residual=_pointer(c.residual, kept),
    )
    to = (c_void_p(y.ctypes.data), c_void_p(statistics.ctypes.data))
    _check(library().kokoro_convolve_transposed(byref(arguments), *to))
    return y, statistics


def channel_statistics(x):
    statistics = np.full((4, x.shape[1]), np.nan, np.float32)
    sizes = (c_int64(x.shape[0]), c_int64(x.shape[1]))
    given = (c_void_p(x.ctypes.data), *sizes, c_void_p(statistics.ctypes.data))
    _check(library().kokoro_channel_statistics(*given))
    return statistics


def recur(lstm):
    kept: list[Any] = []

    def matrix(of):
        c = reference.matmul(lstm.x, of.w, of.scales)
        arrays = (c.packed(layout()), c.weight_sums(), c.runs(), of.scales)
        return MatrixArguments(*(_pointer(array, kept) for array in arrays))

    arguments = LstmArguments(
        rows=lstm.x.shape[0],
        in_channels=lstm.x.shape[1],
        hidden=lstm.hidden,
        x=_pointer(lstm.x, kept),
        input=matrix(lstm.of_input),
        recurrent=matrix(lstm.of_state),
        bias=_pointer(lstm.bias, kept),
    )
    y = np.full((lstm.x.shape[0], 2 * lstm.hidden), np.nan, np.float32)
    _check(library().kokoro_recur(byref(arguments), c_void_p(y.ctypes.data)))
    return y


def synthesize(s):
    kept: list[Any] = []
    frames, harmonics = s.phase.shape
    signal = np.full(frames * max(s.factor, 0), np.nan, np.float32)
    arguments = HarmonicSourceArguments(
        frames=frames,
        harmonics=harmonics,
        factor=s.factor,
        amplitude=s.amplitude,
        threshold=s.threshold,
        silence=s.silence,
        phase=_pointer(s.phase, kept),
        f0=_pointer(s.f0, kept),
        weight=_pointer(s.weight, kept),
        bias=_pointer(np.array([s.bias], np.float32), kept),
    )
    _check(library().kokoro_synthesize(byref(arguments), c_void_p(signal.ctypes.data)))
    return signal


def polar_to_cartesian(x):
    kept: list[Any] = []
    y = np.full(x.shape, np.nan, np.float32)
    given = (c_void_p(_pointer(x, kept)), *(c_int64(size) for size in x.shape))
    _check(library().kokoro_polar_to_cartesian(*given, c_void_p(y.ctypes.data)))
    return y
