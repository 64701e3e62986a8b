"""The machine. Each fact is looked up at its first use."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from service.machine.board import Board, read_board
from service.machine.gpu import Driver, ask_driver
from service.machine.libraries import SharedLibraries
from service.machine.loader import LoaderPath
from service.machine.memory import SystemMemory


class Machine:
    """The machine that the service runs on.

    Args:
        root: folder to use as `/`; all arguments are for tests.
        driver_library: name of the driver's library, for the loader.
        loader_folders: those of `LD_LIBRARY_PATH`; None for this process's.
        packages: folders of Python packages; None for those of this Python.
    """

    def __init__(
        self,
        root: Path = Path("/"),
        *,
        driver_library: str | Path = "libcuda.so.1",
        loader_folders: Iterable[Path] | None = None,
        packages: Iterable[Path] | None = None,
    ) -> None:
        self._root = root
        self._driver_library = driver_library
        self._loader_folders = loader_folders
        self._packages = packages

    @cached_property
    def board(self) -> Board:
        """The board."""
        return read_board(self._root)

    @cached_property
    def memory(self) -> SystemMemory:
        """Its memory; raises OSError or ValueError if the system does not report it."""
        return SystemMemory(self._root)

    @cached_property
    def driver(self) -> Driver:
        """NVIDIA's driver and the GPUs."""
        return ask_driver(self._driver_library, self._root)

    @cached_property
    def libraries(self) -> SharedLibraries:
        """NVIDIA's libraries."""
        loader = LoaderPath(self._root, self._loader_folders)
        return SharedLibraries(loader, self._root, self._packages)
