"""Models that come inside wheels of PyPI give the same bits through ortffi and through the package.

The packages are those of constraints/models.txt; nothing of them is imported.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.two_sides import Ortffi, Package, same


@dataclass(frozen=True)
class ShippedModel:
    path: Any  # below the folder that the packages are installed to
    inputs: Any  # makes the inputs of one run of each of the shapes
    shapes: Any  # as `inputs` understands them


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


def _echo(numbers, length):
    return {"input": numbers.floats(1, 3, length, 160), "h0": _zeros(4, 1, 96)}


def _losses(numbers, length):
    return {"degraded_audio": numbers.floats(1, 1, length, 257), "rater_embed": numbers.floats(1, 64)}


def _detectors(numbers, n_detectors, n_classes):
    shape = (n_detectors, n_classes)
    return {"logit": numbers.floats(*shape), "Z": numbers.floats(*shape, 128), "act": numbers.floats(n_detectors)}


def _molecule(numbers, n_atoms, n_edges, n_residues):
    floats, integers = numbers.floats, numbers.integers
    return {
        "element": integers(7, n_atoms), "amino_acid": integers(21, n_atoms), "atom_role": integers(14, n_atoms),
        "bfactor": floats(n_atoms), "edge_index": integers(n_atoms, 2, n_edges),
        "edge_dist": floats(n_edges, low=1, high=5), "seq_sep": integers(33, n_edges),
        "same_residue": integers(2, n_edges).astype(np.float32), "target_indices": integers(n_atoms, n_residues, 6),
        "target_mask": integers(2, n_residues, 6).astype(np.bool_), "residue_types": integers(20, n_residues),
        "residue_geometry": floats(n_residues, 52), "target_environment": floats(n_residues, 6, 15),
        "temperature_feature": floats(n_residues, 1), "target_atom_rsasa": floats(n_residues, 6, low=0),
        "pos": floats(n_atoms, 3, low=-10, high=10), "node_normal": floats(n_atoms, 3),
        "is_hbond": integers(2, n_edges).astype(np.float32), "hb_cos": floats(n_edges),
    }  # fmt: skip


def _table(name, make):
    """One input of rows, each as `make` says."""
    return lambda numbers, *shape: {name: make(numbers, *shape)}


_nearest = _table("input", lambda numbers, n: numbers.floats(n, 4, low=0, high=10))
_function = _table("X", lambda numbers, n: numbers.doubles(n, 229))
_pairs = _table("x", lambda numbers, n, length: numbers.floats(n, 15, length))
_lengths, _sentences = ((1,), (7,), (40,)), ((1, 1), (1, 17), (3, 64))

SHIPPED = tuple(
    ShippedModel(*row)
    for row in [
        # Graphs with If, Loop or LSTM, float32.
        ("silero_vad/data/silero_vad.onnx", _voice, ((1, 576, 16000), (3, 576, 16000), (1, 288, 8000))),
        ("silero_vad/data/silero_vad_half.onnx", _voice, ((1, 576), (3, 576))),
        ("faster_whisper/assets/silero_vad_v6.onnx", _voice_sequence, _lengths),
        # Convolutions, several outputs of some megabytes.
        ("basic_pitch/saved_models/icassp_2022/nmp.onnx", _floats("serving_default_input_2:0", 43844, 1), ((1,), (2,))),
        ("swift_f0/model.onnx", _pitch, ((256,), (4096,), (16000,))),
        ("speechmos/dnsmos_models/model_v8.onnx", _floats("input_1", 900, 120), ((1,), (2,))),
        ("speechmos/plcmos_models/plcmos_v2.onnx", _losses, ((40,), (100,), (137,))),
        ("speechmos/aecmos_models/Run_1668423760_Stage_0.onnx", _echo, ((100,), (333,))),
        # int8 weights and operators of the domain com.microsoft.
        ("text2tashkeel/models/bilstm.int8.onnx", _token_ids("input_ids"), _sentences),
        ("text2tashkeel/models/rawi_v3.int8.onnx", _token_ids("input"), _sentences),
        # Trees, in float64.
        ("atspm_detector/weights/function/function229_s0.onnx", _function, ((1,), (5,), (100,))),
        ("atspm_detector/weights/funcnet/x100_w32full_pair.onnx", _pairs, ((1, 64), (4, 100))),
        ("atspm_detector/weights/funcnet/x100_w32full_head.onnx", _detectors, ((3, 5), (8, 2))),
        # A graph network: nineteen inputs of three types, some of them empty.
        ("caustic/data/best_v2_carbons.onnx", _molecule, ((20, 60, 3), (150, 900, 17), (1, 0, 1))),
        ("surfaces_onnx_files/k_neighbors_regressor.onnx", _nearest, ((1,), (5,), (64,))),
        ("surfaces_onnx_files/k_neighbors_classifier.validity.onnx", _nearest, ((1,), (5,), (64,))),
    ]
)

_flowers = _table("float_input", lambda numbers, scale: scale * numbers.floats(3, 2, low=0, high=7))
IRIS = ShippedModel("datasets/logreg_iris.onnx", _flowers, ((1,), (0.5,), (0,)))
"""In the onnxruntime package itself; an output is a sequence of maps."""


ROUNDS = 3
"""Each round has all shapes: ortffi keeps something of every shape that it has seen."""


@pytest.fixture(scope="session")
def models(repository):
    """The folder that `make` installs the packages of constraints/models.txt to."""
    if not (repository / ".venv/models-ready").exists():
        pytest.skip("the models are not installed: make .venv/models-ready, or make test")
    return repository / ".venv/models"


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda shipped: shipped.path)
def test_a_shipped_model_gives_the_same_bits(shipped, models, onnxruntime):
    _compare(models / shipped.path, shipped, onnxruntime)


def test_a_classifier_gives_the_same_labels_and_maps(onnxruntime):
    outputs = _compare(Path(onnxruntime.__file__).parent / IRIS.path, IRIS, onnxruntime)
    labels, probabilities = outputs[0]
    assert (labels.shape, [set(item) for item in probabilities]) == ((3,), [{0, 1, 2}] * 3)


def _compare(path, shipped, onnxruntime):
    ours, theirs = Ortffi(path), Package(onnxruntime, path)
    assert ours.input_names == theirs.input_names
    runs = [shipped.inputs(Numbers(), *shape) for shape in shipped.shapes]
    expected = [theirs.run(inputs) for inputs in runs]
    # Otherwise it would be no wonder that they are the same.
    assert all(_says_something(output) for outputs in expected for output in outputs)
    for _ in range(ROUNDS):
        for inputs, outputs in zip(runs, expected, strict=True):
            # Twice in a row, for then the second may go another way; the copy, for the inputs
            # are then elsewhere in memory.
            for given in (inputs, {name: array.copy() for name, array in inputs.items()}):
                assert same(ours.run(given), outputs)
    return expected


def _says_something(output):
    if not isinstance(output, np.ndarray):
        return len(output) > 0
    return output.size > 0 and bool(np.isfinite(output).any())


def test_every_package_of_the_constraints_has_a_model_that_is_tested(repository):
    text = (repository / "constraints/models.txt").read_text(encoding="utf-8")
    packages = {name.replace("-", "_") for name in re.findall(r"^([\w-]+)==", text, re.MULTILINE)}
    tested = {shipped.path.split("/")[0] for shipped in SHIPPED}
    assert {name.removesuffix("_nmr") for name in packages} == tested
    assert len(tested) > 6
