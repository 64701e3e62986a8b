"""A C function in front of a Python callback that can be closed before the interpreter exits.

ONNX Runtime keeps a callback as long as the process lives. Its own threads and daemon threads still
call it while the interpreter exits and afterwards: a run that is cut off by the exit always logs an
error. Entering a ctypes callback then crashes the process, and no Python code can prevent it:
before Python 3.14 the C++ thread ends in the middle of a destructor, and later there is no
interpreter left to enter. So the library gets a few machine instructions that first check whether
the gate is still open. They count the calls inside, so that closing can wait for them.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import time

_ARGUMENTS = 6
"""How many pointers and ints the callback may take; all of them are passed in registers."""

# Both do:  inside += 1;  if (target) target(...);  inside -= 1;
# with `target` at the address `data` and `inside` eight bytes behind it.
_X86_64 = bytes.fromhex(
    "f30f1efa"  # endbr64
    "49ba 0000000000000000"  # movabs r10, data
    "f049ff4208"  # lock inc qword [r10 + 8]
    "498b02"  # mov rax, [r10]
    "4885c0"  # test rax, rax
    "740a"  # jz leave
    "4883ec08"  # sub rsp, 8: the stack is aligned to 16 bytes at a call
    "ffd0"  # call rax
    "4883c408"  # add rsp, 8
    "49ba 0000000000000000"  # leave: movabs r10, data
    "f049ff4a08"  # lock dec qword [r10 + 8]
    "c3"  # ret
)
_X86_64_DATA = (6, 39)
"""The offsets of the two addresses of `data`."""

_AARCH64 = (
    0xA9BF7BFD,  # stp x29, x30, [sp, #-16]!
    0x910003FD,  # mov x29, sp
    0x58000290,  # ldr x16, data (the word behind the code)
    0x91002211,  # add x17, x16, #8
    0xC85F7E29,  # again: ldxr x9, [x17]; not ldadd, which the oldest cores lack
    0x91000529,  # add x9, x9, #1
    0xC80A7E29,  # stxr w10, x9, [x17]
    0x35FFFFAA,  # cbnz w10, again
    0xD5033BBF,  # dmb ish: the count is seen before the target is read
    0xF9400209,  # ldr x9, [x16]
    0xB4000049,  # cbz x9, leave
    0xD63F0120,  # blr x9
    0x58000151,  # leave: ldr x17, data
    0x91002231,  # add x17, x17, #8
    0xD5033BBF,  # dmb ish
    0xC85F7E29,  # more: ldxr x9, [x17]
    0xD1000529,  # sub x9, x9, #1
    0xC80A7E29,  # stxr w10, x9, [x17]
    0x35FFFFAA,  # cbnz w10, more
    0xA8C17BFD,  # ldp x29, x30, [sp], #16
    0xD65F03C0,  # ret
    0xD503201F,  # nop: the word behind is aligned to eight bytes
)


def machine_code(machine: str, data: int) -> bytes | None:
    """Return the gate's instructions for a machine, or None if there are none.

    Args:
        machine: as in `os.uname()`.
        data: the address of the target's address; the count of calls inside comes after it.
    """
    address = struct.pack("<Q", data)
    if machine == "x86_64":
        code = bytearray(_X86_64)
        for place in _X86_64_DATA:
            code[place : place + 8] = address
        return bytes(code)
    if machine in ("aarch64", "arm64"):
        return struct.pack(f"<{len(_AARCH64)}I", *_AARCH64) + address
    return None


class Gate:
    """A C function that calls another one until it is closed, and does nothing afterwards.

    Its memory is never freed, because C may call it at any time. If there are no instructions for
    the machine, or the machine forbids new code, the gate is the target itself (`guarded` is
    False). A message during interpreter exit may then crash the process.

    Args:
        target: the address of a C function with at most six pointers and ints and no result.

    Attributes:
        address: of the C function to pass to ONNX Runtime.
        guarded: whether closing has an effect.
    """

    def __init__(self, target: int) -> None:
        data = _map(mmap.PAGESIZE * 2)
        code = None if data is None else _code_page(data)
        self.guarded = code is not None
        self.address = code or target
        self._target = self._inside = None
        if data is not None and self.guarded:
            self._target = ctypes.c_void_p.from_address(data)
            self._inside = ctypes.c_int64.from_address(data + 8)
            self._target.value = target

    @property
    def inside(self) -> int:
        """Return how many calls are inside."""
        return self._inside.value if self._inside is not None else 0

    def close(self, timeout_s: float = 1.0) -> bool:
        """Refuse new calls and wait, without the GIL, for those inside to leave.

        Calling it again does nothing.

        Returns:
            Whether all have left in time.
        """
        if self._target is None:
            return False
        self._target.value = None
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            # Also before the first check: a call that has read the target is counted by then.
            time.sleep(0.001)
            if self.inside == 0:
                return True
        return False


def _map(size: int) -> int | None:
    """Return zeroed memory in pages of its own, or None if the system gives none.

    Calls the C function, because a Python `mmap` object frees its memory when it is collected.
    """
    if os.name != "posix" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    function = ctypes.CDLL(None).mmap
    function.restype = ctypes.c_void_p
    function.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    ]  # fmt: skip
    protection, flags = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address: int | None = function(None, size, protection, flags, -1, 0)
    return None if address in (None, ctypes.c_void_p(-1).value) else address


def _code_page(data: int) -> int | None:
    """Write the instructions to the second page, which is never writable and executable at once."""
    code = machine_code(os.uname().machine, data)
    if code is None:
        return None
    address = data + mmap.PAGESIZE
    ctypes.memmove(address, code, len(code))
    function = ctypes.CDLL(None).mprotect
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    done = function(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) == 0
    return address if done else None
