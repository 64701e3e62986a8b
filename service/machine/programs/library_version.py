"""Ask one of NVIDIA's libraries for its version; run as a program.

Arguments: the file, the function that tells it, and how: `returned`, or `stored` where the function
takes a pointer to an int and returns a status. Imports only the standard library. Prints one JSON
object: `version` (the number as the library encodes it), or `problem`.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any


def _ask(path: str, name: str, how: str) -> dict[str, Any]:
    try:
        function = getattr(ctypes.CDLL(path), name)
    except (OSError, AttributeError) as error:
        return {"problem": str(error)}
    if how == "returned":
        function.restype = ctypes.c_size_t if name == "cudnnGetVersion" else ctypes.c_int
        return {"version": function()}
    value = ctypes.c_int()
    function.argtypes = [ctypes.POINTER(ctypes.c_int)]
    status = function(ctypes.byref(value))
    return {"problem": f"{name} returned {status}"} if status else {"version": value.value}


if __name__ == "__main__":
    print(json.dumps(_ask(*sys.argv[1:4])))
