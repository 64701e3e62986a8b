"""Load each model that standard input names, run it once with zeros, and say how it went.

    python mutant_worker.py ortffi|package [LIBRARY]

One line of JSON per model. What may die, dies here.
"""

import json
import math
import os
import resource
import signal
import sys

import numpy as np

MEMORY = 1 << 30
"""More than a worker has when it begins."""
SECONDS = 20
MOST_ELEMENTS = 1_000_000

os.environ["ORT_DISABLE_TELEMETRY"] = "1"


class NotRunError(Exception):
    """Zeros cannot be made for an input."""


def zeros(shape, dtype):
    lengths = [length if isinstance(length, int) else 1 for length in shape or ()]
    if any(length < 0 for length in lengths) or math.prod(lengths) > MOST_ELEMENTS:
        raise NotRunError("an input is too large")
    if dtype is None:
        raise NotRunError("an input has no dtype")
    return np.full(lengths, "" if np.dtype(dtype).hasobject else 0, dtype)


def with_ortffi(path):
    import ortffi

    try:
        with open(path, "rb") as file:
            ortffi.inspect_model(file.read())
    except ortffi.ModelFileError:
        pass
    try:
        with ortffi.SessionBuilder().with_intra_threads(1).commit_from_file(path) as session:
            inputs = {}
            for info in session.inputs:
                if info.kind is ortffi.OnnxType.SEQUENCE:
                    inputs[info.name] = [zeros((), info.type.item.dtype)]
                elif info.kind is ortffi.OnnxType.MAP:
                    is_text = info.type.key_type is ortffi.ElementType.STRING
                    number = 0.0 if info.type.item.dtype == np.float32 else 0
                    inputs[info.name] = {"" if is_text else 0: number}
                else:
                    inputs[info.name] = zeros(info.shape, info.dtype)
            for value in session.run_values(inputs):
                value.to_python()
    except (ortffi.OrtError, MemoryError) as error:
        str(error)
        return "error"
    except (TypeError, ValueError) as error:
        # Of these two classes themselves: others come from inside Python.
        if type(error) in (TypeError, ValueError) and str(error):
            return "error"
        raise
    return "result"


def with_package(path):
    import onnxruntime

    dtypes = {
        "float": "f4", "double": "f8", "float16": "f2", "string": "O", "bool": "?", "int8": "i1", "int16": "i2",
        "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8", "bfloat16": None,
    }  # fmt: skip
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
        inputs = {}
        for info in session.get_inputs():
            if info.type.startswith("map"):
                inputs[info.name] = {"" if "string," in info.type else 0: 0.0}
                continue
            name = info.type.split("(")[-1].rstrip(")")
            shape = () if info.type.startswith("seq") else info.shape
            array = zeros(shape, None if dtypes.get(name) is None else np.dtype(dtypes[name]))
            inputs[info.name] = [array] if info.type.startswith("seq") else array
        session.run(None, inputs)
    except NotRunError:
        raise
    except Exception:
        return "error"
    return "result"


def main():
    who = sys.argv[1]
    if who == "ortffi":
        import ortffi

        ortffi.init(sys.argv[2], log_level=ortffi.LogLevel.FATAL)
        use = with_ortffi
    else:
        import onnxruntime

        onnxruntime.set_default_logger_severity(4)
        use = with_package
    with open("/proc/self/statm") as statm:
        limit = int(statm.read().split()[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        # The signal is not handled, so that it ends a loop in C as well.
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            outcome = use(line.rstrip("\n"))
        except NotRunError:
            outcome = "not run"
        except BaseException as error:
            outcome = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
