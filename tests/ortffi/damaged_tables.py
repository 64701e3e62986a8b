"""Opens copies of a library with damaged tables, each in a process of its own.

Run as a script: path, seed, number of copies, whether each has two places damaged. Prints what
ended a process, as JSON.
"""

import ctypes
import json
import os
import random
import resource
import signal
import struct
import sys

from ortffi._shared_object import fault_of


def tables(content):
    """Return offset and size of the ELF header, the program headers and the dynamic section."""
    (offset,) = struct.unpack_from("<Q", content, 32)
    (count,) = struct.unpack_from("<H", content, 56)
    found = [(0, 64), (offset, 56 * count)]
    for at in range(offset, offset + 56 * count, 56):
        kind, _, start, _, _, size = struct.unpack_from("<IIQQQQ", content, at)
        if kind == 2:
            found.append((start, size))
    return found


def changes(content, seed):
    """Yield where to change a byte, two bytes or a word of the tables, and into what, in a random order."""
    places = tables(content)
    source = random.Random(seed)
    while True:
        start, size = source.choice(places)
        width = source.choice((1, 1, 2, 4, 8))
        at = start + source.randrange(size // width) * width
        before = content[at : at + width]
        number = int.from_bytes(before, "little")
        other = start + source.randrange(size // width) * width
        new = source.choice((
            b"\xff" * width, bytes(width), source.randbytes(width), content[other : other + width],
            (number ^ (1 << source.randrange(8 * width))).to_bytes(width, "little"),
            ((number + source.choice((-8, -1, 1, 8, 4096))) % 256**width).to_bytes(width, "little"),
        ))  # fmt: skip
        if new != before:
            yield at, new


def outcome(path):
    """Check the file, and open it if it has no fault, in a process that may die of it."""
    process = os.fork()
    if process == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 2)
        signal.alarm(20)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        result = 1
        try:
            if fault_of(path) is None:
                result = 2
                library = ctypes.CDLL(path)
                libc = ctypes.CDLL(None)
                libc.backtrace((ctypes.c_void_p * 64)(), 64)  # as an exception walks the libraries
                libc.dlclose.argtypes = [ctypes.c_void_p]
                libc.dlclose(library._handle)
                result = 3
        except OSError:
            pass
        finally:
            os._exit(result)
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return {1: "found", 2: "refused", 3: "opened"}.get(os.WEXITSTATUS(status), f"exit {os.WEXITSTATUS(status)}")


def main():
    path, seed, number, twice = sys.argv[1], *map(int, sys.argv[2:])
    with open(path, "rb") as file:
        content = file.read()
    counts, deaths, made = {}, [], changes(content, seed)
    with open(path, "r+b", buffering=0) as file:
        for _ in range(number):
            damage = [next(made) for _ in range(1 + twice)]
            for at, new in damage:
                os.pwrite(file.fileno(), new, at)
            result = outcome(path)
            counts[result] = counts.get(result, 0) + 1
            if result not in ("found", "refused", "opened"):
                deaths.append([result, [(at, new.hex()) for at, new in damage]])
            for at, new in damage:
                os.pwrite(file.fileno(), content[at : at + len(new)], at)
    print(json.dumps({"counts": counts, "deaths": deaths}))


if __name__ == "__main__":
    main()
