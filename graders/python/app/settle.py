"""What is left of the build in the snapshot: an interpreter that is warm, and
nothing of the machine that it was warmed on.

A grade maps the snapshot's memory and copies each page that it writes to, so a
page that need not be written to is time saved in every grade.
"""

import gc
import io
import linecache
import os
import sys

# Sizes of memory blocks in bytes, in the order in which holes are filled.
BLOCKS = [size for power in range(20, 9, -1) for size in (1 << power, 3 << (power - 2))] + list(
    range(1024, 0, -8)
)

# Kept for ever: what fills the holes.
_filling: list[bytes] = []


def streams() -> None:
    """Gives the standard streams buffers. Those that the builder asks for have
    none, and lose what a single write does not take."""
    sys.stdout = sys.__stdout__ = text_output(1)
    sys.stderr = sys.__stderr__ = text_output(2)


def text_output(descriptor: int) -> io.TextIOWrapper:
    """A stream of lines of text."""
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


def forget() -> None:
    """Removes what only the build needed."""
    os.environ.clear()
    sys.path[:] = []
    sys.path_importer_cache.clear()
    sys.modules.pop("grader", None)
    sys.dont_write_bytecode = True
    linecache.clearcache()


def freeze() -> None:
    """Makes the memory ready. Nothing may be done after it."""
    gc.collect()
    fill_holes()
    gc.collect()
    # Nothing that is here now can become garbage: a grade does not look at it.
    gc.freeze()


def fill_holes() -> None:
    """Takes all free memory between the objects that are there, so that what a
    grade allocates lies side by side behind them."""
    _filling.extend([b""] * 200_000)
    count = 0
    end = id(bytes(1 << 21))
    for size in BLOCKS:
        while count < len(_filling):
            block = bytes(size)
            if id(block) >= end:
                break
            _filling[count] = block
            count += 1
    del _filling[count:]
