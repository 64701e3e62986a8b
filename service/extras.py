"""What pip installs for an extra, in the advice that errors give."""

from __future__ import annotations

WHOLE, CORE = "kokoro-service", "kokoro-service-core"


def advice(extra: str) -> str:
    """Return the command that adds an extra to this installation.

    It names `kokoro-service` only where that is installed and has the extra. A core alone, as on a
    Jetson, must not get ONNX Runtime's wheel by it.
    """
    from importlib.metadata import PackageNotFoundError, metadata  # needed only in errors

    try:
        of_whole = metadata(WHOLE).get_all("Provides-Extra") or []
    except PackageNotFoundError:
        of_whole = []
    return f"pip install '{WHOLE if extra in of_whole else CORE}[{extra}]'"
