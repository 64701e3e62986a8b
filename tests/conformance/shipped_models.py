"""Models that come inside wheels of PyPI, and inputs of several shapes for each.

The packages are those of constraints/models.txt; nothing of them is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Inputs = dict[str, np.ndarray]


@dataclass(frozen=True)
class ShippedModel:
    """A model file and what it is run with.

    Attributes:
        path: of the file below the folder that the packages are installed to.
        inputs: makes the inputs of one run of each of the shapes.
        shapes: of the inputs, as `inputs` understands them.
    """

    path: str
    inputs: Callable[..., Inputs]
    shapes: tuple[Any, ...]

    def runs(self):
        """The inputs of one run after another, the same every time."""
        return [self.inputs(Numbers(), *shape) for shape in self.shapes]


class Numbers:
    """Arrays of random numbers that are always the same."""

    def __init__(self):
        self._generator = np.random.default_rng(20)

    def floats(self, *shape, low=-1, high=1):
        return self._generator.uniform(low, high, shape).astype(np.float32)

    def doubles(self, *shape):
        return self._generator.normal(size=shape)

    def integers(self, below, *shape, low=0):
        return self._generator.integers(low, below, shape, np.int64)


def _zeros(*shape):
    return np.zeros(shape, np.float32)


def _floats(name, *rest):
    """One input of floats: the shape begins with what is given, `rest` follows."""
    return lambda numbers, *shape: {name: numbers.floats(*shape, *rest)}


def _token_ids(name):
    return lambda numbers, *shape: {name: numbers.integers(30, *shape, low=1)}


def _voice(numbers, batch, length, rate=0):
    """Samples, the state of a recurrent network, and the sample rate where it is asked for."""
    inputs = {"input": numbers.floats(batch, length), "state": _zeros(2, batch, 128)}
    return {**inputs, "sr": np.array(rate)} if rate else inputs


def _voice_sequence(numbers, length):
    return {"input": numbers.floats(length, 576), "h": _zeros(1, 1, 128), "c": _zeros(1, 1, 128)}


def _pitch(numbers, length):
    limits = {"fmin": np.array(50, np.float32), "fmax": np.array(1000, np.float32)}
    return {"audio": numbers.floats(1, length), **limits}


def _echo(n_hidden):
    def inputs(numbers, length):
        return {"input": numbers.floats(1, 3, length, 160), "h0": _zeros(4, 1, n_hidden)}

    return inputs


def _losses(numbers, length):
    audio = numbers.floats(1, 1, length, 257)
    return {"degraded_audio": audio, "rater_embed": numbers.floats(1, 64)}


def _detectors(numbers, n_detectors, n_classes):
    shape = (n_detectors, n_classes)
    return {"logit": numbers.floats(*shape), "Z": numbers.floats(*shape, 128), "act": numbers.floats(n_detectors)}


def _molecule(numbers, n_atoms, n_edges, n_residues):
    floats, integers = numbers.floats, numbers.integers
    return {
        "element": integers(7, n_atoms),
        "amino_acid": integers(21, n_atoms),
        "atom_role": integers(14, n_atoms),
        "bfactor": floats(n_atoms),
        "edge_index": integers(n_atoms, 2, n_edges),
        "edge_dist": floats(n_edges, low=1, high=5),
        "seq_sep": integers(33, n_edges),
        "same_residue": integers(2, n_edges).astype(np.float32),
        "target_indices": integers(n_atoms, n_residues, 6),
        "target_mask": integers(2, n_residues, 6).astype(np.bool_),
        "residue_types": integers(20, n_residues),
        "residue_geometry": floats(n_residues, 52),
        "target_environment": floats(n_residues, 6, 15),
        "temperature_feature": floats(n_residues, 1),
        "target_atom_rsasa": floats(n_residues, 6, low=0),
        "pos": floats(n_atoms, 3, low=-10, high=10),
        "node_normal": floats(n_atoms, 3),
        "is_hbond": integers(2, n_edges).astype(np.float32),
        "hb_cos": floats(n_edges),
    }


SHIPPED = (
    # Graphs with If, Loop or LSTM, float32.
    ShippedModel(
        "silero_vad/data/silero_vad.onnx", _voice, ((1, 576, 16000), (3, 576, 16000), (1, 288, 8000), (2, 288, 8000))
    ),
    ShippedModel(
        "silero_vad/data/silero_vad_op18_ifless.onnx", _voice, ((1, 576, 16000), (3, 576, 16000), (1, 288, 8000))
    ),
    ShippedModel("silero_vad/data/silero_vad_half.onnx", _voice, ((1, 576), (3, 576))),
    ShippedModel("silero_vad/data/silero_vad_16k_sequence.onnx", _voice_sequence, ((1,), (7,), (40,))),
    ShippedModel("faster_whisper/assets/silero_vad_v6.onnx", _voice_sequence, ((1,), (7,), (40,))),
    # Convolutions, several outputs of some megabytes.
    ShippedModel(
        "basic_pitch/saved_models/icassp_2022/nmp.onnx", _floats("serving_default_input_2:0", 43844, 1), ((1,), (2,))
    ),
    ShippedModel("swift_f0/model.onnx", _pitch, ((256,), (4096,), (16000,))),
    ShippedModel("speechmos/dnsmos_models/model_v8.onnx", _floats("input_1", 900, 120), ((1,), (2,))),
    ShippedModel("speechmos/plcmos_models/plcmos_v2.onnx", _losses, ((40,), (100,), (137,))),
    ShippedModel("speechmos/aecmos_models/Run_1663915512_Stage_0.onnx", _echo(64), ((100,), (333,))),
    ShippedModel("speechmos/aecmos_models/Run_1668423760_Stage_0.onnx", _echo(96), ((100,), (333,))),
    # int8 weights and operators of the domain com.microsoft.
    ShippedModel("text2tashkeel/models/bilstm.int8.onnx", _token_ids("input_ids"), ((1, 1), (1, 17), (3, 64))),
    ShippedModel("text2tashkeel/models/rawi_ensemble.int8.onnx", _token_ids("input"), ((1, 1), (1, 17), (3, 64))),
    ShippedModel("text2tashkeel/models/rawi_v3.int8.onnx", _token_ids("input"), ((1, 1), (1, 17), (3, 64))),
    # Trees, in float64.
    ShippedModel(
        "atspm_detector/weights/decode_v3.onnx", lambda numbers, n: {"X": numbers.doubles(n, 25)}, ((1,), (5,), (100,))
    ),
    ShippedModel(
        "atspm_detector/weights/function/function229_s0.onnx",
        lambda numbers, n: {"X": numbers.doubles(n, 229)},
        ((1,), (5,), (100,)),
    ),
    ShippedModel(
        "atspm_detector/weights/funcnet/x100_w32full_pair.onnx",
        lambda numbers, n, length: {"x": numbers.floats(n, 15, length)},
        ((1, 64), (4, 100)),
    ),
    ShippedModel("atspm_detector/weights/funcnet/x100_w32full_head.onnx", _detectors, ((3, 5), (8, 2))),
    # A graph network: nineteen inputs of three types, some of them empty.
    ShippedModel("caustic/data/best_v2_carbons.onnx", _molecule, ((20, 60, 3), (150, 900, 17), (1, 0, 1))),
    ShippedModel(
        "surfaces_onnx_files/k_neighbors_regressor.onnx",
        lambda numbers, n: {"input": numbers.floats(n, 4, low=0, high=10)},
        ((1,), (5,), (64,)),
    ),
    ShippedModel(
        "surfaces_onnx_files/k_neighbors_classifier.validity.onnx",
        lambda numbers, n: {"input": numbers.floats(n, 4, low=0, high=10)},
        ((1,), (5,), (64,)),
    ),
)

IRIS = ShippedModel(
    "datasets/logreg_iris.onnx",
    lambda numbers, scale: {"float_input": scale * numbers.floats(3, 2, low=0, high=7)},
    ((1,), (0.5,), (0,)),
)
"""In the onnxruntime package itself; an output is a sequence of maps."""
