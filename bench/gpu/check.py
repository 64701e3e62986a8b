"""The checks that the service makes of a model on the GPU when it starts, as one JSON object.

    python -m bench.gpu.check

The settings come from the KOKORO_* variables of this process. `load_s` is the time of the whole
load, and includes `warm_up_s`.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from dataclasses import asdict

from service.errors import ServiceError
from service.loading import load_model, load_runtime
from service.settings import Settings


def main() -> int:
    """Load the model, print the checks, and return the exit status."""
    settings, started = Settings(), time.perf_counter()
    try:
        with closing(load_model(settings, load_runtime(settings), lambda line: None)) as model:
            load_s = time.perf_counter() - started
            check = model.gpu_check
    except ServiceError as error:
        print(f"bench.gpu.check: {error.message}", file=sys.stderr)
        return 1
    if check is None:
        print("bench.gpu.check: the model does not run on a GPU", file=sys.stderr)
        return 1
    checks = {
        "load_s": load_s,
        "warm_up_s": check.warm_up_s,
        "distances_db": check.distances_db,
        "placement": asdict(check.placement),
        "summary": str(check.placement),
        "capture": check.capture,
    }
    print(json.dumps(checks), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
