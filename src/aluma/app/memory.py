"""Large arrays go back to the system when they are free.

After a thousand answers every question takes and frees arrays of ten megabytes. The C library of
most Linux systems would keep what lies between them, by and by hundreds of megabytes.
"""

from __future__ import annotations

import ctypes
import sys

#: Bytes from which on memory is asked of the system itself, and returned to it. What is smaller is
#: taken and freed thousands of times a second, and stays.
LARGE = 4 * 2**20
#: What glibc calls that setting.
M_MMAP_THRESHOLD = -3


def return_large_arrays() -> bool:
    """Let this process return large arrays when they are freed; say whether there was a way.

    Only glibc needs it and has it. For processes of our own: a library changes nobody's settings.
    """
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE))
    except (OSError, AttributeError):
        return False
