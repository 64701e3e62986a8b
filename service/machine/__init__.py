"""What machine this is, what NVIDIA's software on it is, and why CUDA does not work on it.

Everything here is read from files, or asked in a process of its own, so that looking costs the
service neither memory nor a driver that was woken too early. Imports no other room of the service.
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
    "explain",
    "foresee",
    "read_board",
    "read_kernels",
]
