"""AMX, whose registers a process has to ask for: every kind of process computes, none ends by SIGILL."""

import ctypes
import os
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest

from tests.native import kokoro_reference as reference
from tests.native import native_library

REPOSITORY = native_library.NATIVE.parent
ARCH_PRCTL, ARCH_REQ_XCOMP_PERM = 158, 0x1023

pytestmark = pytest.mark.usefixtures("library_path")


@pytest.fixture(autouse=True)
def has_tiles(library_path):
    if "amxint8" not in native_library.runnable():
        pytest.skip("this processor or operating system has no AMX")


def convolved(seed=0):
    """Hold the variant in use to numpy, on a convolution of several tiles with odd edges."""
    random = np.random.default_rng(seed)
    c = reference.Convolution(
        x=random.standard_normal((75, 70), np.float32), w=random.integers(-127, 128, (35, 70, 3)), dilation=3,
        pad_begin=3, pad_end=3,
    )  # fmt: skip
    native_library.assert_exact(c, random.integers(0, 256, c.x.shape).astype(np.uint8), 131)


def use_an_alternate_stack(size):
    """Give this thread a stack for signals, of which the kernel says whether it is large enough."""
    use_an_alternate_stack.memory = memory = ctypes.create_string_buffer(size)
    stack = struct.pack("@PiP", ctypes.addressof(memory), 0, size)
    return ctypes.CDLL(None, use_errno=True).sigaltstack(stack, None)


def forbid_to_ask():
    """Have the kernel answer EPERM to who asks for registers, as a container's seccomp profile may."""
    load, equal, answer = 0x20, 0x15, 0x06
    allow, refuse = 0x7FFF0000, 0x00050001
    steps = [(load, 0, 0, 0), (equal, 0, 3, ARCH_PRCTL), (load, 0, 0, 16), (equal, 0, 1, ARCH_REQ_XCOMP_PERM),
             (answer, 0, 0, refuse), (answer, 0, 0, allow)]  # fmt: skip
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    filtering = struct.pack("@HP", len(steps), ctypes.addressof(program))
    c = ctypes.CDLL(None, use_errno=True)
    assert c.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert c.prctl(22, 2, filtering, 0, 0) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def in_use():
    return native_library.library().kokoro_variant_in_use().decode()


def passed_over():
    from service.preparation.operators import find_native_operators

    found = find_native_operators(native_library.compiled())
    assert found.kernels == in_use() != "amxint8"
    convolved()
    return found.passed_over


def threads_made_before_and_after_asking():
    chosen, failures = threading.Event(), []

    def work(seed):
        try:
            assert chosen.wait(60)
            for i in range(20):
                convolved(seed + i)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
    for thread in threads[:2]:
        thread.start()
    assert in_use() == "amxint8"
    for thread in threads[2:]:
        thread.start()
    chosen.set()
    for thread in threads:
        thread.join()
    assert not failures


def a_fork_after_asking_and_one_before():
    for asks_first in (False, True):
        assert not asks_first or in_use() == "amxint8"
        child = os.fork()
        if child == 0:
            assert in_use() == "amxint8"
            convolved()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def refused_by_seccomp():
    forbid_to_ask()
    assert "does not permit AMX" in passed_over()
    assert native_library.library().kokoro_use_variant(b"amxint8") == -1


def refused_for_a_small_stack():
    assert use_an_alternate_stack(8192) == 0
    assert "alternate signal stack is too small" in passed_over()


def a_small_stack_after_asking_is_what_the_kernel_refuses():
    assert in_use() == "amxint8"
    assert use_an_alternate_stack(8192) == -1
    convolved()


def nothing_is_asked_where_others_are_chosen():
    library = native_library.library()
    assert library.kokoro_use_variant(b"avx2") == 0
    convolved()
    permitted = ctypes.c_uint64()
    assert ctypes.CDLL(None).syscall(ARCH_PRCTL, 0x1022, ctypes.byref(permitted)) == 0  # ARCH_GET_XCOMP_PERM
    assert not permitted.value >> 18 & 1


@pytest.mark.parametrize("process", [
    threads_made_before_and_after_asking, a_fork_after_asking_and_one_before, refused_by_seccomp,
    refused_for_a_small_stack, a_small_stack_after_asking_is_what_the_kernel_refuses,
    nothing_is_asked_where_others_are_chosen,
])  # fmt: skip
def test_a_process(process, library_path):
    """In a process of its own: what the kernel has granted, or a filter, is never taken back."""
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.native import test_tiles; test_tiles.{process.__name__}()"],
        capture_output=True, text=True, check=False, cwd=REPOSITORY,
        env={**os.environ, "NATIVE_TEST_LIBRARY": str(library_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
