"""Programs that capture CUDA graphs."""

IMPORTS = """
import threading
from onnx import TensorProto, helper
import ortffi
from tests.cuda.gpu_models import (
    SAME, TWICE, allocate, encode, first_of, graph, numbers, open_graphs, open_session, read, write,
)
from ortffi import Memory, RunOptions, SessionBuilder
"""

START = """
session = open_graphs()
x, y = allocate(session), allocate(session)
write(x, 1, 2)
binding = session.bind({"x": x}, {"y": y})
"""

UNASSIGNED = (
    "This session cannot use the graph capture feature as requested by the user  as all compute "
    "graph nodes have not been partitioned to the CUDAExecutionProvider"
)
