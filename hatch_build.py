"""The build hook: a wheel carries the native operators, whatever compiler there is.

With `KOKORO_WHEEL_FOR=x86_64` or `aarch64` the wheel is for every Linux of that processor family:
zig compiles it for glibc 2.28, and the build fails if it cannot. `make wheels` builds both so.
"""

from __future__ import annotations

import importlib.util
import os
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ZIG = "ziglang==0.17.1"
"""Its clang compiles where there is no C compiler, and for wheels that are passed on."""


class NativeBuildHook(BuildHookInterface):
    """Compile `native/` for wheels and for editable installs.

    When no compiler can be had, or when it refuses, one line says so and the installation goes on
    without the library: the service then uses stock operators.
    """

    def dependencies(self) -> list[str]:
        """Ask for zig where it will be the compiler; an isolated build then installs it."""
        native = _native_build(Path(self.root))
        return [ZIG] if _family() or native.needs_zig() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library and add it to the wheel, which then belongs to one platform.

        An editable install finds it where it was built.
        """
        native = _native_build(Path(self.root))
        family = _family()
        if family:
            platform = f"manylinux_{native.GLIBC.replace('.', '_')}_{family}"
            place = native.LIBRARY.parent / platform / native.LIBRARY.name
            library = native.build(place, cc=native.zig(family), say=_refuse)
        else:
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            try:
                library = native.build(say=self.app.display_info)
            except native.CompilerError as error:
                self.app.display_warning(f"native operators are left out: {error}")
                return
        if version == "editable":
            return
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        build_data["force_include"][str(library)] = f"service/_data/native/{library.name}"


def _family() -> str:
    """Return the processor family that a wheel for every Linux is built for; empty for none."""
    return os.environ.get("KOKORO_WHEEL_FOR", "")


def _refuse(line: str) -> None:
    raise RuntimeError(f"a wheel to pass on must have every variant: {line}")


def _native_build(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("native_build", root / "native" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
