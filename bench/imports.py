"""Time of `python -c "import ..."`, with the start and the end of the interpreter.

`import onnxruntime` loads ONNX Runtime, and `import ortffi` alone does not. In the second row ours
loads it too.
"""

from __future__ import annotations

import time

from bench.processes import ChildError, python
from bench.report import Bound, Row, ratio
from bench.timing import alternate

REPEATS = 11
BOUND = Bound(1.0, strict=True)


def measure(repeats: int) -> list[Row]:
    alone, with_library = (
        alternate(
            lambda program=program: _milliseconds(program),  # type: ignore[misc]
            lambda: _milliseconds("import onnxruntime"),
            repeats,
            warm_ups=1,
        )
        for program in ("import ortffi", "import ortffi; ortffi.init()")
    )
    return [
        ratio("import", alone, "ms", BOUND),
        ratio("import and `ortffi.init()`", with_library, "ms"),
    ]


def _milliseconds(program: str) -> float:
    start = time.perf_counter()
    with python("-c", program) as process:
        status = process.wait()
        seconds = time.perf_counter() - start
    if status:
        raise ChildError(f"{program!r} failed")
    return seconds * 1e3
