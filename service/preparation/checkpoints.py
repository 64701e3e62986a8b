"""The weights of a Kokoro in a checkpoint, by the names of Kokoro's own layers.

Checkpoints differ in what is around them: `module.` of parallel training, `net.` of a trainer, the
weight norms of either kind, and whether the norms within AdaIN have weights. All are settled here.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from service import tensor_files
from service.errors import ModelError
from service.extras import advice
from service.preparation.assembly import FILE_NAME, assemble

Weights = dict[str, npt.NDArray[np.float32]]
"""Weights by name, such as `predictor.F0.0.conv1.weight`; those of convolutions are joined."""

Precision = Literal["int8", "float32"]
"""Of a model that is made of a checkpoint."""

MOST_BYTES = 1 << 30
"""Maximum size of a checkpoint. A whole Kokoro in float32 has 330 MB, in float64 twice as much."""

PARTS = ("bert", "bert_encoder", "predictor", "text_encoder", "decoder")
"""What a Kokoro consists of. Checkpoints of training have more, such as discriminators."""

_LANDMARK = "bert_encoder.weight"
"""Where this is, the others are."""

_NORMS = ((".weight_g", ".weight_v"),
          (".parametrizations.weight.original0", ".parametrizations.weight.original1"))  # fmt: skip
"""Length and direction, as torch's older and newer weight norm call them."""

_UNUSED = re.compile(
    r"\.num_batches_tracked$|\.position_ids$|^bert\.pooler\.|^decoder\.generator\.stft\."
)
"""Of what a Kokoro saves, what its speech does not need, or has as constants."""


def read_weights(path: Path) -> Weights:
    """Return the weights of a checkpoint of PyTorch, or of safetensors. Nothing is executed.

    Raises:
        ModelError: it cannot be read, or is of no Kokoro. The message, one line, names the file.
    """
    try:
        tensors = tensor_files.read(path, MOST_BYTES)
    except tensor_files.TensorFileError as error:
        raise ModelError(f"{path}: {error.message}") from error
    try:
        return weights_of(tensors)
    except ModelError as error:
        raise ModelError(f"{path}: {error.message}") from error


def weights_of(tensors: Mapping[str, npt.NDArray[np.generic]]) -> Weights:
    """Return the weights among tensors; see `read_weights`."""
    named = {_without_wrappers(name): name for name in tensors}
    place = min(
        (name for name in named if f".{name}".endswith(f".{_LANDMARK}")), key=len, default=None
    )
    if place is None:
        raise ModelError(f"it is no Kokoro: it has no {_LANDMARK}")
    prefix = place.removesuffix(_LANDMARK)
    weights: Weights = {}
    for name, of_file in named.items():
        own = name.removeprefix(prefix)
        if (
            not name.startswith(prefix)
            or own.partition(".")[0] not in PARTS
            or _UNUSED.search(own) is not None
        ):
            continue
        array = tensors[of_file]
        if array.dtype.kind != "f":
            raise ModelError(f"its weight {own!r:.80} has {array.dtype} in place of floats")
        weights[own] = array.astype(np.float32, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):  # what comes of that is refused below
        for length, direction in _NORMS:
            _join(weights, length, direction)
        _fold_norms(weights)
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise ModelError(f"its weight {name!r:.80} has numbers that are not finite")
    return weights


def _without_wrappers(name: str) -> str:
    return ".".join(part for part in name.split(".") if part != "module")


def _join(weights: Weights, length: str, direction: str) -> None:
    """Make one weight of each length and direction, normalized over all but the first axis."""
    for name in [name for name in weights if name.endswith(length)]:
        layer = name.removesuffix(length)
        v = weights.pop(layer + direction, None)
        g = weights.pop(name)
        if v is None or g.shape != (*v.shape[:1], *(1 for _ in v.shape[1:])):
            raise ModelError(f"its weight norm {layer!r:.80} is not whole")
        norms = np.sqrt(
            np.square(v, dtype=np.float64).sum(axis=tuple(range(1, v.ndim)), keepdims=True)
        )
        if not norms.all():
            raise ModelError(f"its weight norm {layer!r:.80} has a direction of zeros")
        weights[f"{layer}.weight"] = (v * (g / norms)).astype(np.float32)


def _fold_norms(weights: Weights) -> None:
    """Put the weights of the norms within AdaIN into the layer that makes scale and shift.

    The published graph has norms without weights. AdaIN is `(1 + scale) * norm(x) + shift`, and
    scale and shift are linear in the style, so a norm's weight w and bias b go into them exactly:
    `scale' = (1 + scale) * w - 1` and `shift' = shift + (1 + scale) * b`.
    """
    for name in [name for name in weights if name.endswith(".norm.weight")]:
        layer = name.removesuffix(".norm.weight")
        w, b = weights.pop(name), weights.pop(f"{layer}.norm.bias", None)
        matrix, bias = weights.get(f"{layer}.fc.weight"), weights.get(f"{layer}.fc.bias")
        n = w.size
        if (
            b is None
            or matrix is None
            or bias is None
            or not (matrix.ndim == 2 and len(matrix) == bias.size == 2 * n and b.size == n)
        ):
            raise ModelError(f"its norm {layer!r:.80} is not whole")
        scale, shift = matrix[:n], matrix[n:]
        weights[f"{layer}.fc.weight"] = np.concatenate(
            [scale * w[:, None], shift + scale * b[:, None]]
        )
        weights[f"{layer}.fc.bias"] = np.concatenate(
            [(1 + bias[:n]) * w - 1, bias[n:] + (1 + bias[:n]) * b]
        )


def write_model(
    weights: Weights, output: Path, precision: Precision, progress: Callable[[str], None]
) -> None:
    """Write the published graph with other weights: a model file to prepare as any other.

    Args:
        weights: of a whole Kokoro.
        output: the model file.
        precision: `int8`, quantized as the published file is but for the matrices that durations
            depend on, or `float32`, for comparisons and for GPUs that are not to round.
        progress: called with a line where something takes long.

    Raises:
        ModelError: the weights are of a Kokoro with other layers, or packages are missing.
        OSError: the file cannot be written.
    """
    try:
        import onnx_ir as ir  # only here and in the preparing process: it takes a second

        from service.preparation.rewriting.filling import dequantize, fill, refine_durations
    except ModuleNotFoundError as error:
        raise ModelError(f"packages that write models are missing: {advice('prepare')}") from error
    with tempfile.TemporaryDirectory(prefix="kokoro-") as folder:
        path = Path(folder) / FILE_NAME
        assemble(path, progress)
        model = ir.load(path)
        progress("putting the weights into the graph")
        if precision == "float32":
            dequantize(model)
        else:
            refine_durations(model)
        fill(model, weights)
        ir.save(model, output)
