"""What the extras of this distribution bring, and the advice that errors give about them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

CORE = "kokoro-service-core"
"""The distribution whose extras these are; another one, kokoro-service, passes most of them on."""

_EXTRA = re.compile(r"\bextra ?== ?['\"]([\w.-]{1,64})['\"]")
_NAME = re.compile(r"[\w.-]+")


def is_installed(extra: str) -> bool:
    """Tell whether everything that an extra brings is installed, however it came there.

    Where this distribution is not installed itself, nobody knows what its extras bring; then the
    answer is yes.
    """
    from importlib.metadata import PackageNotFoundError, distribution  # needed by few commands

    for name in _requirements(extra):
        try:
            distribution(name)
        except PackageNotFoundError:
            return False
    return True


def advice(extra: str) -> str:
    """Return the command that adds an extra to this installation.

    It names the packages themselves: this distribution may be a clone, or a wheel that no index
    has, and a core alone, as on a Jetson, must not get ONNX Runtime's wheel by it.
    """
    wanted = (f"'{what}'" if set(what) & set("<>=[") else what
              for what in _requirements(extra).values())  # fmt: skip
    of_clone = Path.cwd() / ".venv"
    pip = ".venv/bin/pip" if Path(sys.prefix) == of_clone else "pip"
    return " ".join([pip, "install", *wanted])


def _requirements(extra: str) -> dict[str, str]:
    """Return what pip installs for an extra, by the names of the distributions."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires(CORE) or []
    except PackageNotFoundError:
        return {}
    found = {}
    for line in lines:
        what, _, marker = line.partition(";")
        name, wanted_by = _NAME.match(what), _EXTRA.search(marker)
        if name is not None and wanted_by is not None and wanted_by[1] == extra:
            found[name[0]] = what.strip()
    return found
