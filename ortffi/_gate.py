"""A C function in front of a Python callback, which can be shut before Python goes.

ONNX Runtime keeps a callback for as long as the process lives, and threads of its own or daemon
threads still call it while the interpreter ends and after: a run that is cut off by the exit logs
an error, every time. A ctypes callback that is entered then crashes the process (before Python
3.14 it ends the C++ thread in the middle of a destructor, later there is no interpreter to enter),
and no Python code is asked first. So the library is given a few machine instructions that look
whether the gate is still open. They count those inside, so that closing can wait for them.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import time

_ARGUMENTS = 6
"""The callback may take so many pointers and ints, all of which travel in registers."""

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
"""Where the two addresses of `data` are."""

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
    """Return the gate's instructions for a machine, or None where there are none.

    Args:
        machine: as in `os.uname()`.
        data: the address of the target's address, which the count of those inside follows.
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

    Its memory is never given back, since C may call it at any time. On a machine without
    instructions for it, or one that allows no new code, it is the target itself (`guarded` is
    false), and a message while the interpreter ends may crash the process.

    Args:
        target: the address of a C function with at most six pointers and ints and no result.

    Attributes:
        address: of the C function to give away.
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
        """Return how many calls are on their way through."""
        return self._inside.value if self._inside is not None else 0

    def close(self, timeout_s: float = 1.0) -> bool:
        """Let nobody in any more and wait, without the GIL, for those inside to leave.

        Returns:
            Whether all have left in time. Calling again is harmless.
        """
        if self._target is None:
            return False
        self._target.value = None
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            # Before the first look too: who has read the target has been counted by then.
            time.sleep(0.001)
            if self.inside == 0:
                return True
        return False


def _map(size: int) -> int | None:
    """Return zeroed memory of its own pages, or None where the system has none.

    By the C function, since a Python `mmap` object takes its memory along when it goes.
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
    """Write the instructions to the second page; never writable and executable at once."""
    code = machine_code(os.uname().machine, data)
    if code is None:
        return None
    address = data + mmap.PAGESIZE
    ctypes.memmove(address, code, len(code))
    function = ctypes.CDLL(None).mprotect
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    done = function(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) == 0
    return address if done else None
