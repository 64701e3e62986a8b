"""Graphs of floats, and the weights that they hold."""

import numpy as np
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import constant
from service.preparation.rewriting.transposes import cancel_transposes
from tests.service.preparation.rewriting.graph_checks import tidied

WEIGHT_SCALE = np.float32(0.0021)
"""Of every convolution in `Published`."""


def finished(model):
    """Drop what nobody uses any more, and the dialect with it."""
    cancel_transposes(model.graph)
    model.graph.opset_imports.pop(DOMAIN, None)
    return tidied(model)


def held(value):
    """What an initializer or a Constant holds."""
    assert value is not None
    array = constant(value)
    if array is None:
        made = value.producer()
        assert made is not None
        array = made.attributes["value"].as_tensor().numpy()
    return array
