"""The service as it is without a C compiler: `python -m bench.stock serve ...`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

from service import __main__ as command_line
from service.preparation import getting
from service.preparation.operators import NativeUnavailableError


def leave_out_native_operators() -> None:
    """Prepare and run models with ONNX Runtime's operators alone, in this process."""

    def refuse(path: Path | None = None, kernels: str | None = None) -> NoReturn:
        raise NativeUnavailableError("they are left out for a measurement")

    getting.find_native_operators = refuse


if __name__ == "__main__":
    leave_out_native_operators()
    sys.exit(command_line.main())
