"""The machine: its board, GPU and NVIDIA libraries, and why CUDA does not work on it.

Everything is read from files or queried in a process of its own, so that it costs the service no
memory and does not initialize the driver. Imports no other package of the service.
"""

from __future__ import annotations

from service.machine.board import Board, read_board
from service.machine.build import CudaBuild
from service.machine.computer import Machine
from service.machine.diagnosis import explain, foresee
from service.machine.gpu import Driver, Gpu, ask_driver
from service.machine.kernels import Kernels, Target, read_kernels
from service.machine.libraries import InstalledLibrary, SharedLibraries
from service.machine.memory import SystemMemory
from service.machine.processors import count_processors

__all__ = [
    "Board",
    "CudaBuild",
    "Driver",
    "Gpu",
    "InstalledLibrary",
    "Kernels",
    "Machine",
    "SharedLibraries",
    "SystemMemory",
    "Target",
    "ask_driver",
    "count_processors",
    "explain",
    "foresee",
    "read_board",
    "read_kernels",
]
