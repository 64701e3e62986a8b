"""The machine, of which each fact is found out when it is first asked for."""

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
        root: folder that stands for `/`; all arguments are for tests.
        driver_library: the driver's library, as the loader finds it.
        loader_folders: those of `LD_LIBRARY_PATH`; this process's if None.
        packages: folders of Python packages; those that this Python imports from if None.
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
        """What board it is."""
        return read_board(self._root)

    @cached_property
    def memory(self) -> SystemMemory:
        """Its memory; raises OSError or ValueError where the system does not tell of it."""
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
