"""LZ4 blocks and zstd frames, the two compressions of device code; the only home of their packages."""

from __future__ import annotations

import sys

from .budget import MAX_IMAGE_BYTES, Budget, Malformed

LZ4_MOST = 255
"""An LZ4 block expands at most so many times."""


def decompress_lz4(data: memoryview, size: int, budget: Budget) -> bytes:
    """Decompress an LZ4 block.

    Args:
        data: Exactly the block.
        size: Its declared size after decompression.
        budget: What the file may still expand to.

    Raises:
        Malformed: It is damaged, does not come to the declared size, or is too large.
    """
    import lz4.block

    _check_declared(size, budget)
    if size > LZ4_MOST * len(data) + 64:
        raise Malformed(f"{len(data)} bytes of LZ4 cannot hold the declared {size}")
    try:
        plain: bytes = lz4.block.decompress(data, uncompressed_size=size)
    except (lz4.block.LZ4BlockError, ValueError, MemoryError) as error:
        raise Malformed(f"the LZ4 data is damaged: {error}") from error
    return _checked(plain, size)


def decompress_zstd(data: memoryview, size: int, budget: Budget) -> bytes:
    """Decompress a zstd frame. Arguments and errors are those of `decompress_lz4`."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    _check_declared(size, budget)
    try:
        # One byte more than declared, so that a longer frame is noticed.
        plain = zstd.ZstdDecompressor().decompress(data, max_length=size + 1)
    except (zstd.ZstdError, EOFError, MemoryError) as error:
        raise Malformed(f"the zstd data is damaged: {error}") from error
    return _checked(plain, size)


def _check_declared(size: int, budget: Budget) -> None:
    if size > MAX_IMAGE_BYTES:
        raise Malformed(f"a kernel image that declares {size} bytes after decompression is not read")
    budget.expand(size)


def _checked(plain: bytes, size: int) -> bytes:
    if len(plain) != size:
        more = "more" if len(plain) > size else f"only {len(plain)}"
        raise Malformed(f"{size} bytes are declared, but decompression gives {more}")
    return plain
