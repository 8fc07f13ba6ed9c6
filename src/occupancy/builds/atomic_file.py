"""Files that are either the old ones or the new ones, whatever happens in between."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from ..errors import OccupancyError

PEEK_BYTES = 1 << 12
"""Of each end of a file, by which its kind is recognised."""

PATIENCE = 10.0
"""Seconds in which another process is expected to have written a file: it takes some milliseconds."""


_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF)
"""What a file system says that knows no locks, as Lustre and NFS that were mounted so; NFS says the last one
of a folder, which is open for reading alone."""


class InUseError(OSError):
    """Another process writes the file, for longer than that takes."""

    def __init__(self) -> None:
        super().__init__("another process is writing it")


def check_replaceable(
    file: str, is_ours: Callable[[bytes], bool], what: str, error: type[OccupancyError]
) -> None:
    """Refuse to take the place of a file that we did not write.

    Args:
        file: Where something is to be written.
        is_ours: Whether both ends of a file, which has something in it, are of what is to be written.
        what: The kind of file, as a phrase.
        error: What to raise.

    Raises:
        OccupancyError: There is another file, or a link that leads nowhere.
        OSError: The file cannot be read.
    """
    if os.path.islink(file) and not os.path.exists(file):
        raise error("is a link that leads nowhere", where=file, hint="Remove it, or name its target.")
    if os.path.isfile(file) and (content := both_ends(file)) and not is_ours(content):
        raise error(
            f"is there already, and is no {what}", where=file, hint="Choose another name, or remove it."
        )


def both_ends(file: str) -> bytes:
    """The beginning and the end of a file, where it has what it is recognised by.

    Raises:
        OSError: It cannot be read.
    """
    with open(file, "rb") as stream:
        start = stream.read(PEEK_BYTES)
        stream.seek(-min(PEEK_BYTES, os.fstat(stream.fileno()).st_size), os.SEEK_END)
        return start + stream.read()


def write_atomically(path: str, text: str) -> None:
    """Write a text file in UTF-8, so that no reader and no crash ever sees half of it.

    Raises:
        OSError: It cannot be written; then the target is as it was.
    """
    with written_atomically(path) as file:
        file.write(text)


@contextmanager
def written_atomically(path: str) -> Iterator[TextIO]:
    """A text file in UTF-8 to write to, which takes the target's place once all of it is written.

    The text goes to a file beside the target, onto the disk, and then takes the target's name. A link
    stays a link, and its target keeps its permissions.

    Raises:
        OSError: It cannot be written; then the target is as it was, as after any other exception.
    """
    target = os.path.realpath(path)
    mode = _mode(target)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}")

    def remove() -> None:
        with suppress(OSError):
            os.unlink(temporary)

    try:
        with _cleaned_by_signals(remove):
            # What only some may read must not be open to others for a moment.
            permissions = 0o666 if mode is None else 0o600
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, permissions)
            with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
                yield file
                file.flush()
                os.fsync(descriptor)
            if mode is not None:
                os.chmod(temporary, mode)
            os.replace(temporary, target)
    except BaseException as error:
        remove()
        if isinstance(error, OSError) and error.filename == temporary:
            error.filename = path  # the name that people have given
        raise
    _sync_folder(folder)


@contextmanager
def alone(path: str) -> Iterator[None]:
    """Have processes that ask for this with the same target wait for each other, so that what it holds can
    be read again before it is written, and nothing that another one has written is lost.

    The lock is the operating system's, which takes it back from a process that ends, however it does. Where
    there are no locks, nobody waits.

    Raises:
        InUseError: Another one has it, for longer than it takes to write a file.
        OSError: There is no such folder.
    """
    end = time.monotonic() + PATIENCE
    descriptor = _opened_to_lock(os.path.realpath(path))
    try:
        while True:
            try:
                _lock(descriptor)
                break
            except (BlockingIOError, PermissionError):  # the latter on Windows
                pass
            except OSError as error:
                if error.errno not in _WITHOUT_LOCKS:
                    raise
                break
            if time.monotonic() >= end:
                raise InUseError
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def _opened_to_lock(target: str) -> int:
    """What stands for a target as long as it is locked: its folder, beside which nothing need be made that
    could stay there, or be a trap of somebody else's. Windows opens no folders: a file among the temporary
    ones, which stays, for the next time."""
    if sys.platform != "win32":
        return os.open(os.path.dirname(target), os.O_RDONLY)
    name = hashlib.sha256(os.path.normcase(target).encode()).hexdigest()[:16]
    return os.open(os.path.join(tempfile.gettempdir(), f"occupancy-{name}.lock"), os.O_RDWR | os.O_CREAT)


def _lock(descriptor: int) -> None:
    """Have the system lock what is open until it is closed, and wait for nobody.

    Raises:
        BlockingIOError: Another process has locked it; on Windows PermissionError.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def _cleaned_by_signals(remove: Callable[[], None]) -> Iterator[None]:
    """Clean up where a signal ends the process meanwhile; handlers of others stay in place."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: object) -> None:
        remove()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    names = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _mode(target: str) -> int | None:
    """The permissions of a file that is there already; None where there is none."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        # To take the place of a device, which the superuser could, would harm the whole system.
        raise OSError(0, "is not a regular file", target)
    if not os.access(target, os.W_OK):
        raise PermissionError(0, "is write-protected", target)
    return stat.S_IMODE(mode)


def _sync_folder(folder: str) -> None:
    """Have the new name on the disk, too, where the system can do that for folders."""
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
