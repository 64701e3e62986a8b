"""Empty sequences of tensors.

`CreateValue` cannot make one, because it takes the type from the items. The operator
`SequenceEmpty` can, so this runs a model with that one node.
"""

from __future__ import annotations

import ctypes

from ortffi._api import ElementType, LogLevel, new
from ortffi._protobuf import integer, message
from ortffi.environment import Environment


def empty_sequence(environment: Environment, element_type: ElementType) -> int:
    """Make an `OrtValue` with an empty sequence of tensors; the caller releases it.

    It does not depend on the session that made it, which is released.

    Raises:
        OrtError: ONNX Runtime has no such sequences, for example of 8-bit floats.
    """
    api = environment.api
    model = _model(element_type)
    names, outputs = (ctypes.c_char_p * 1)(b"y"), (ctypes.c_void_p * 1)()
    options = new(api.CreateSessionOptions)
    try:
        api.SetIntraOpNumThreads(options, 1)
        # An error is raised, so it need not be logged too.
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

    The field numbers are those of onnx.proto, and so are the numbers of all element types that
    sequences can have.
    """
    dtype = message(1, b"dtype") + integer(3, element_type) + integer(20, 2)  # type = INT
    node = message(2, b"y") + message(4, b"SequenceEmpty") + message(5, dtype)
    tensor = message(1, integer(1, element_type))
    kind = message(2, message(4, message(1, tensor)))  # sequence_type, elem_type
    graph = message(1, node) + message(2, b"g") + message(12, message(1, b"y") + kind)
    return integer(1, 7) + message(7, graph) + message(8, integer(2, 13))
