"""Sequences of no tensors.

`CreateValue` refuses to make one, for it takes the type from the items. The operator
`SequenceEmpty` makes them, so a model of that one node is run.
"""

from __future__ import annotations

import ctypes

from ortffi._api import ElementType, LogLevel, new
from ortffi._protobuf import integer, message
from ortffi.environment import Environment


def empty_sequence(environment: Environment, element_type: ElementType) -> int:
    """Make an `OrtValue` that holds a sequence of no tensors; the caller releases it.

    It needs nothing of the session that made it, which is gone afterwards.

    Raises:
        OrtError: ONNX Runtime has no such sequences (of 8-bit floats, for example).
    """
    api = environment.api
    model = _model(element_type)
    names, outputs = (ctypes.c_char_p * 1)(b"y"), (ctypes.c_void_p * 1)()
    options = new(api.CreateSessionOptions)
    try:
        api.SetIntraOpNumThreads(options, 1)
        # What goes wrong is in the exception, and need not be printed as well.
        api.SetSessionLogSeverityLevel(options, LogLevel.FATAL)
        session = new(api.CreateSessionFromArray, environment.pointer, model, len(model), options)
        try:
            api.Run(session, None, None, None, 0, names, 1, outputs)
        finally:
            api.ReleaseSession(session)
    finally:
        api.ReleaseSessionOptions(options)
    return outputs[0] or 0


def _model(element_type: ElementType) -> bytes:
    """Encode a model with the one node y = SequenceEmpty().

    The field numbers are those of onnx.proto, and so are the numbers of the element types that
    there are sequences of.
    """
    dtype = message(1, b"dtype") + integer(3, element_type) + integer(20, 2)  # type = INT
    node = message(2, b"y") + message(4, b"SequenceEmpty") + message(5, dtype)
    tensor = message(1, integer(1, element_type))
    kind = message(2, message(4, message(1, tensor)))  # sequence_type, elem_type
    graph = message(1, node) + message(2, b"g") + message(12, message(1, b"y") + kind)
    return integer(1, 7) + message(7, graph) + message(8, integer(2, 13))
