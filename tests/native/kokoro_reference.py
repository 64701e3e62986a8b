"""The operators in numpy, written from their definition and for clearness alone."""

import math
import platform
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from service.preparation.layout import Layout

# ONNX Runtime scales a product and adds its bias in one rounding on arm64, in two elsewhere.
FUSES_BIAS = platform.machine() == "aarch64"


def statistics(x):
    wide = x.astype(np.float64)
    rows = [wide.mean(axis=0), wide.var(axis=0), wide.min(axis=0), wide.max(axis=0)]
    return np.stack(rows).astype(np.float32)


def joined(measured, given, share):
    """Join two stretches' statistics, `share` of whose rows are given; to the last bit, with the range of both."""
    if share == 0:
        return measured
    part = np.float32(share)
    rest = np.float32(1) - part
    apart = given[0] - measured[0]
    mean = rest * measured[0] + part * given[0]
    variance = rest * measured[1] + part * given[1] + part * rest * apart * apart
    least, greatest = np.minimum(measured[2], given[2]), np.maximum(measured[3], given[3])
    return np.stack([mean, variance, least, greatest])


EXACT_EVERYWHERE = 64
"""Widest weights that ONNX Runtime multiplies exactly without VNNI, where it adds two products with
unsigned activations in 16 bits."""


def fused(a, b, c):
    """Return a * b + c, rounded once: by a sum rounded to odd (Boldo and Melquiond, 2008)."""
    product, addend = a.astype(np.float64) * b, c.astype(np.float64)
    total = product + addend
    part = total - product
    rest = (product - (total - part)) + (addend - part)
    is_even = total.view(np.int64) & 1 == 0
    neighbour = np.nextafter(total, np.copysign(np.inf, rest))
    return np.where((rest != 0) & is_even, neighbour, total).astype(np.float32)


def plus_product(total, a, b):
    """Return total + a * b as ONNX Runtime's own kernels round it."""
    return fused(a, b, total) if FUSES_BIAS else total + a * b


def quantization(v):
    """Return the scale and the zero point that DynamicQuantizeLinear takes for `v`."""
    low, high = min(np.float32(0), v.min()), max(np.float32(0), v.max())
    scale = (high - low) / np.float32(255)
    scale = scale if scale != 0 else np.float32(1)
    return np.float32(scale), int(np.clip(np.rint(-low / scale), 0, 255))


def in_fours(w):
    """Pack [Co, Ci, K] as [P, K, Q, 16, 4]."""
    out, inner, taps = w.shape
    panels, groups = -(-out // 16), -(-inner // 4)
    whole = np.zeros((panels * 16, groups * 4, taps), np.int8)
    whole[:out, :inner] = w
    return np.ascontiguousarray(whole.reshape(panels, 16, groups, 4, taps).transpose(0, 4, 2, 1, 3))


def in_eights(fours):
    """Put the channels of each two groups together, column by column; an odd group stays."""
    panels, taps, groups = fours.shape[:3]
    whole = groups // 2 * 2
    twos = fours[:, :, :whole].reshape(panels, taps, -1, 2, 16, 4).transpose(0, 1, 2, 4, 3, 5)
    paired = np.ascontiguousarray(twos).reshape(panels, taps, whole, 16, 4)
    return np.concatenate([paired, fours[:, :, whole:]], axis=2)


def differences(taps):
    """Of each tap with an even index and the next one, which counts as 0 if there is none."""
    if taps.shape[2] == 1:
        return taps[:, :, :0]
    whole = np.pad(taps, [(0, 0), (0, 0), (0, 1)])
    return whole[:, :, : taps.shape[2] : 2] - whole[:, :, 1 : taps.shape[2] + 1 : 2]


def fits(*weights):
    return all(w.min(initial=0) >= -128 and w.max(initial=0) <= 127 for w in weights)


def runs_of(groups):
    """Cut the groups [Q, 16, 4] of a panel and a tap; see native/runs.h."""
    lengths = []
    sums = np.zeros((2, 16, 2), int)
    for group in groups:
        pairs = group.reshape(16, 2, 2)
        own = np.stack([pairs.clip(min=0).sum(axis=2), -pairs.clip(max=0).sum(axis=2)])
        if own.max() > 128:
            goes_on = bool(lengths) and 128 < lengths[-1] < 255
            kind = 128
        else:
            goes_on = bool(lengths) and lengths[-1] < 127 and (sums + own).max() <= 128
            kind = 0
        if goes_on:
            lengths[-1] += 1
            sums += own
        else:
            lengths.append(kind + 1)
            sums = own
    return np.array(lengths + [0] * (len(groups) - len(lengths)), np.uint8)


@dataclass
class Convolution:
    """`x` [T, Ci], `w` int8 or int16 [Co, Ci, K]; with `pairs`, sums and runs of differences that fit too."""

    x: Any
    w: Any
    weight_scale: float = 0.01
    dilation: int = 1
    stride: int = 1
    pad_begin: int = 0
    pad_end: int = 0
    epsilon: float = 1e-5
    negative_slope: float = 1.0
    output_scale: float = 1.0
    bias: Any = None
    statistics: Any = None
    style: Any = None
    alpha: Any = None
    residual: Any = None
    addend: Any = None
    weight_scales: Any = None
    float_bias: Any = None
    pairs: bool = False

    @property
    def kernel_size(self):
        return self.w.shape[2]

    @property
    def output_rows(self):
        reach = self.dilation * (self.kernel_size - 1) + 1
        return (self.x.shape[0] + self.pad_begin + self.pad_end - reach) // self.stride + 1

    def activations(self):
        return self.activated(self.x)

    def activated(self, x):
        v = x.astype(np.float64)
        if self.style is not None:
            assert self.statistics is not None
            channels = v.shape[1]
            mean, variance = self.statistics[:2].astype(np.float64)
            gain = (1 + self.style[:channels].astype(np.float64)) / np.sqrt(variance + self.epsilon)
            v = v * gain + (self.style[channels:] - mean * gain)
        if self.alpha is not None:
            alpha = self.alpha.astype(np.float64)
            inverse = np.divide(1, alpha, out=np.zeros_like(alpha), where=alpha != 0)
            return v + np.sin(alpha * v) ** 2 * inverse
        return np.where(v < 0, v * self.negative_slope, v)

    def quantized(self):
        """Statistics tell the range, unless the activation falls where its argument rises."""
        v = self.activations().astype(np.float32)
        ends = v
        if self.statistics is not None and self.negative_slope >= 0:
            ends = self.activated(self.statistics[2:]).astype(np.float32)
        scale, zero_point = quantization(ends)
        return np.clip(np.rint(v / scale) + zero_point, 0, 255).astype(np.uint8), scale, zero_point

    def accumulators(self, q, zero_point):
        rows = np.pad(q.astype(np.int64) - zero_point, ((self.pad_begin, self.pad_end), (0, 0)))
        taps = self.w.astype(np.int64)
        starts = np.arange(self.output_rows) * self.stride
        total = np.zeros((self.output_rows, self.w.shape[0]), np.int64)
        for k in range(self.kernel_size):
            total += rows[starts + k * self.dilation] @ taps[:, :, k].T
        return total

    def finish(self, accumulators, scale):
        if self.weight_scales is not None:
            # To the last bit: a rounding after each operation.
            sums, scales = accumulators.astype(np.float32), scale * self.weight_scales
            if self.float_bias is None:
                return sums * scales
            return plus_product(self.float_bias, sums, scales)
        product_scale = np.float32(scale * np.float32(self.weight_scale))
        if self.bias is not None:
            accumulators = accumulators + np.floor(self.bias / product_scale).astype(np.int64)
        y = accumulators * np.float64(product_scale)
        for other in (self.residual, self.addend):
            if other is not None:
                y = y + other
        return (y * self.output_scale).astype(np.float32)

    def result(self):
        q, scale, zero_point = self.quantized()
        return self.finish(self.accumulators(q, zero_point), scale)

    def packed(self, layout=Layout.CENTERED):
        """One tap after the other, and again for what is left of weights that int8 cannot hold."""
        terms, rest = [], self.w
        while not terms or rest.any():
            terms.append(rest.clip(-128, 127))
            rest = rest - terms[-1]
        fours = in_fours(np.concatenate(terms, axis=2))
        return fours if layout is Layout.CENTERED else in_eights(fours)

    def differences(self):
        """Of taps; then of every second tap, of the others, and of the differences; if they fit."""
        size = self.kernel_size
        if not self.pairs or size % 2 == 0 or size == 1 or self.stride != 1:
            return []
        w = self.w.astype(np.int64)
        of_taps = differences(w)
        halves = [differences(half) for half in (w[:, :, ::2], w[:, :, 1::2], of_taps)]
        if not fits(w, of_taps):
            return []
        return [of_taps, *halves] if fits(*halves) else [of_taps]

    def weight_sums(self):
        return np.concatenate([part.sum(axis=(1, 2), dtype=np.int32) for part in [self.w, *self.differences()]])

    def runs(self):
        """As long as the weights allow, one group after the other."""
        packed = np.concatenate([self.packed(), *map(in_fours, self.differences())], axis=1).astype(int)
        runs = np.zeros(packed.shape[:3], np.uint8)
        for place in np.ndindex(runs.shape[:2]):
            runs[place] = runs_of(packed[place])
        return runs


def matmul(x, w, scales, bias=None):
    """A DynamicQuantizeMatMul: `x` [T, Ci], `w` [Ci, Co], a scale and a bias per column."""
    taps = np.ascontiguousarray(w.T[:, :, None])
    return Convolution(x, taps, weight_scales=scales, float_bias=bias, epsilon=0.0)


@dataclass
class HarmonicSource:
    """`phase` [L, H] in radians, `f0` [L], `weight` [H]."""

    phase: Any
    f0: Any
    weight: Any
    bias: float
    factor: int = 300
    amplitude: float = 0.1
    threshold: float = 10.0
    silence: float = 0.25

    def result(self):
        """From phases interpolated in float64."""
        at = (np.arange(len(self.f0) * self.factor) + 0.5) / self.factor - 0.5
        frames = np.arange(len(self.f0))
        phase = np.stack([np.interp(at, frames, p) for p in self.phase.T.astype(np.float64)])
        total = self.bias + (self.weight * np.float64(self.amplitude)) @ np.sin(phase)
        return np.where(np.repeat(self.f0 > self.threshold, self.factor), np.tanh(total), self.silence)


def polar_to_cartesian(x):
    """Of `x` [T, 2 N]: N logarithms of magnitudes, N numbers whose sines are the phases."""
    levels, phases = np.split(x.astype(np.float64), 2, axis=1)
    angles = np.sin(phases)
    magnitudes = np.exp(levels)
    return np.concatenate([magnitudes * np.cos(angles), magnitudes * np.sin(angles)], axis=1)


def packed_floats(w):
    """From [Co, Ci, K] to [P, K, Ci, 16]."""
    out, inner, kernel = w.shape
    panels = -(-out // 16)
    whole = np.zeros((panels * 16, inner, kernel), np.float32)
    whole[:out] = w
    return np.ascontiguousarray(whole.reshape(panels, 16, inner, kernel).transpose(0, 3, 2, 1))


def leaky(x, slope):
    wide = x.astype(np.float64)
    return np.where(wide < 0, wide * slope, wide)


@dataclass
class FloatConvolution:
    """A Conv: `x` [T, Ci], `w` [Co, Ci, K]."""

    x: Any
    w: Any
    bias: Any
    pad_begin: int = 0
    pad_end: int = 0
    negative_slope: float = 1.0

    def result(self):
        rows = np.pad(leaky(self.x, self.negative_slope), ((self.pad_begin, self.pad_end), (0, 0)))
        kernel = self.w.shape[2]
        count = len(rows) - kernel + 1
        taps = self.w.astype(np.float64)
        y = sum(rows[k : k + count] @ taps[:, :, k].T for k in range(kernel))
        return (y + self.bias).astype(np.float32)


@dataclass
class TransposedConvolution:
    """A ConvTranspose with a kernel of twice its stride: `x` [T, Ci], `w` [Ci, Co, 2 * stride]."""

    x: Any
    w: Any
    bias: Any
    stride: int
    pad: int = 0
    reflect: int = 0
    negative_slope: float = 1.0
    residual: Any = None

    @property
    def output_rows(self):
        return (self.x.shape[0] + 1) * self.stride - 2 * self.pad + self.reflect

    def result(self):
        v = leaky(self.x, self.negative_slope)
        frames = np.zeros(((len(v) + 1) * self.stride, self.w.shape[1]))
        for t, row in enumerate(v):
            taps = np.einsum("i,iok->ko", row, self.w.astype(np.float64))
            frames[t * self.stride : (t + 2) * self.stride] += taps
        frames = frames[self.pad : len(frames) - self.pad] + self.bias
        if self.reflect:
            frames = np.concatenate([frames[1:2], frames])
        if self.residual is not None:
            frames = frames + self.residual
        return frames.astype(np.float32)

    def packed(self):
        """[P, 2, Ci, 16] over stride * Co columns; column s * Co + co of tap j is frame
        j * stride + s of the kernel."""
        inner, out, _ = self.w.shape
        taps = self.w.reshape(inner, out, 2, self.stride)
        columns = taps.transpose(3, 1, 0, 2).reshape(self.stride * out, inner, 2)
        return packed_floats(np.ascontiguousarray(columns))


WIDEST = (128, 3, 64, 20, 0)
"""Of random weights: products of pairs of the first leave 16 bits, and the last are zeros."""


def random_weights(shape, widest, random):
    return random.integers(-widest, min(widest, 127), shape, np.int8, endpoint=True)


@dataclass
class Sizes:
    """Of a random DynamicQuantizeConv."""

    rows: int
    inner: int
    out: int
    kernel: int = 3
    dilation: int = 1
    stride: int = 1
    pads: tuple[int, int] = (1, 1)
    parts: frozenset[str] = field(default_factory=frozenset)


def random_convolution(sizes, seed=0):
    """Fill every part that `sizes.parts` names; how wide the weights are changes with the seed."""
    random = np.random.default_rng(seed)

    def normal(*shape):
        return random.standard_normal(shape, np.float32)

    weights = (sizes.out, sizes.inner, sizes.kernel)
    c = Convolution(
        x=normal(sizes.rows, sizes.inner), w=random_weights(weights, WIDEST[seed % len(WIDEST)], random),
        dilation=sizes.dilation, stride=sizes.stride, pad_begin=sizes.pads[0], pad_end=sizes.pads[1],
    )  # fmt: skip
    shape = (c.output_rows, sizes.out)
    values = {
        "bias": normal(sizes.out), "alpha": np.abs(normal(sizes.inner)) + np.float32(0.1),
        "residual": normal(*shape), "addend": normal(*shape),
    }  # fmt: skip
    chosen = {name: values[name] for name in sizes.parts & values.keys()}
    if "style" in sizes.parts:
        chosen |= {"style": 0.3 * normal(2 * sizes.inner), "statistics": statistics(c.x)}
    if "range" in sizes.parts:  # one end wider than x, one narrower; with style or alone
        chosen["statistics"] = statistics(c.x) * np.float32([[1], [1], [1.5], [0.5]])
    if "leaky" in sizes.parts:
        chosen["negative_slope"] = 0.2
    if "output_scale" in sizes.parts:
        chosen["output_scale"] = math.sqrt(0.5)
    return replace(c, **chosen)
