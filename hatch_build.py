"""The build hook: a wheel carries the native library where a compiler can make it."""

from __future__ import annotations

import importlib.util
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeBuildHook(BuildHookInterface):
    """Compile `native/` for wheels and for editable installs.

    Without a compiler, or when it refuses, one line says so and the installation goes on without
    the library: the service then uses stock operators.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library and add it to the wheel, which then belongs to one platform.

        An editable install finds it where it was built.
        """
        native = _native_build(Path(self.root))
        try:
            library = native.build(say=self.app.display_info)
        except native.CompilerError as error:
            self.app.display_warning(f"native operators are left out: {error}")
            return
        if version == "editable":
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        build_data["force_include"][str(library)] = f"service/_data/native/{library.name}"


def _native_build(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("native_build", root / "native" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
