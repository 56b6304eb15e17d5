"""Memory that was given up inside a process, given back to the system.

What a reader needed for a moment is free when its table is there, but Arrow and the C library keep it for the next who
asks. Who asks next often wants pieces of other sizes: of a million records half of what the process then had in use was
memory that nobody used.
"""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Gives the system what is free. It takes milliseconds, and does nothing where there is no such call."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
