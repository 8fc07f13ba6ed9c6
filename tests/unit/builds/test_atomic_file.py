"""A file is the old one or the new one, whatever happens."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from occupancy.builds import atomic_file
from occupancy.builds.atomic_file import InUseError, alone, write_atomically

OLD, NEW = "old\n", "new\n" * 50_000


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "base.json"
    path.write_text(OLD)
    return path


def test_a_new_file_and_one_that_is_replaced(target: Path) -> None:
    write_atomically(str(target), NEW)
    write_atomically(str(target.with_name("other.json")), "é\n")
    assert target.read_text() == NEW
    assert target.with_name("other.json").read_bytes() == "é\n".encode()
    assert sorted(path.name for path in target.parent.iterdir()) == ["base.json", "other.json"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device"), MemoryError])
@pytest.mark.parametrize("step", ["open", "fsync", "chmod", "replace"])
def test_an_interruption_leaves_the_old_file_and_nothing_else(
    target: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: type[BaseException] | OSError
) -> None:
    def interrupted(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, interrupted)
    with pytest.raises(error if isinstance(error, type) else OSError):
        write_atomically(str(target), NEW)
    monkeypatch.undo()
    assert target.read_text() == OLD
    assert [path.name for path in target.parent.iterdir()] == ["base.json"]


@pytest.mark.posix
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_killed_process_leaves_the_old_file(target: Path, step: str) -> None:
    program = (
        "import os, signal, sys\n"
        "from occupancy.builds.atomic_file import write_atomically\n"
        f"os.{step} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_atomically(sys.argv[1], 'new' * 100_000)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(target)])
    assert done.returncode == -signal.SIGKILL
    assert target.read_text() == OLD


@pytest.mark.posix  # on Windows no signal that ends a process can be caught
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGQUIT"])
def test_a_signal_that_can_be_caught_leaves_the_old_file_and_nothing_else(target: Path, name: str) -> None:
    program = (
        "import os, signal, sys\n"
        "from occupancy.builds.atomic_file import write_atomically\n"
        # A run in the background, or by nohup, begins with some of them ignored.
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"
        f"os.fsync = lambda *_: os.kill(os.getpid(), signal.{name})\n"
        "write_atomically(sys.argv[1], 'new' * 100_000)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(target)])
    assert done.returncode == -getattr(signal, name)
    assert target.read_text() == OLD
    assert [path.name for path in target.parent.iterdir()] == ["base.json"]


HOLDER = """
import sys
from occupancy.builds import atomic_file
from occupancy.builds.atomic_file import alone, write_atomically
with alone(sys.argv[1]):
    print("ready", flush=True)
    write_atomically(sys.argv[1], sys.stdin.readline())
"""


@pytest.fixture
def holder(target: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the target for itself, until it is told what to write."""
    command = [sys.executable, "-c", HOLDER, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_processes_that_must_not_disturb_each_other_wait(
    target: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("occupancy.builds.atomic_file.PATIENCE", 0)
    with pytest.raises(InUseError, match="another process is writing it"), alone(str(target)):
        pass
    assert target.read_text() == OLD
    # Who waits is next; what the other one has written is there by then.
    monkeypatch.setattr("occupancy.builds.atomic_file.PATIENCE", 60)
    monkeypatch.setattr(time, "sleep", lambda _: holder.poll() is None and holder.communicate("theirs"))
    with alone(str(target)):
        write_atomically(str(target), target.read_text() + NEW)
    assert target.read_text() == "theirs" + NEW
    assert [path.name for path in target.parent.iterdir()] == ["base.json"]


def test_a_process_that_was_killed_keeps_nobody_waiting(
    target: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("occupancy.builds.atomic_file.PATIENCE", 0)
    with pytest.raises(InUseError), alone(str(target)):
        pass
    holder.kill()
    holder.wait()
    assert [path.name for path in target.parent.iterdir()] == ["base.json"]
    with alone(str(target)):
        write_atomically(str(target), NEW)
    assert [path.name for path in target.parent.iterdir()] == ["base.json"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_who_fails_lets_the_next_one_in(target: Path, error: type[BaseException] | OSError) -> None:
    with pytest.raises(error if isinstance(error, type) else OSError), alone(str(target)):
        raise error
    with alone(str(target)):
        assert target.read_text() == OLD
    assert [path.name for path in target.parent.iterdir()] == ["base.json"]


def test_a_file_system_without_locks_is_written_to_all_the_same(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locks(error: int) -> Callable[[int], None]:
        def refuse(_: int) -> None:
            raise OSError(error, os.strerror(error))

        return refuse

    monkeypatch.setattr(atomic_file, "_lock", locks(errno.ENOLCK))
    with alone(str(target)):
        write_atomically(str(target), NEW)
    assert target.read_text() == NEW
    monkeypatch.setattr(atomic_file, "_lock", locks(errno.EIO))
    with pytest.raises(OSError, match=os.strerror(errno.EIO)), alone(str(target)):
        pass


@pytest.mark.posix  # which stands in for what Windows does
def test_the_lock_of_windows(
    target: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import fcntl

    def locking(descriptor: int, mode: int, length: int) -> None:
        assert (mode, length) == (2, 1)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError(errno.EACCES, "Permission denied") from error

    windows = SimpleNamespace(LK_NBLCK=2, locking=locking)
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
    monkeypatch.setattr(atomic_file, "PATIENCE", 0)
    with alone(str(target)):
        with pytest.raises(InUseError), alone(str(target)):
            pass
        with alone(str(target.with_name("other.json"))):
            pass
    with alone(str(target)):
        pass
    assert [path.name for path in target.parent.iterdir()] == ["base.json"]


@pytest.mark.posix
def test_a_file_that_others_may_not_read_is_open_to_them_at_no_moment(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.chmod(0o600)
    seen: list[int] = []

    def look(*_: object) -> None:
        seen.extend(path.stat().st_mode & 0o077 for path in target.parent.iterdir())

    monkeypatch.setattr(os, "fsync", look)
    write_atomically(str(target), NEW)
    assert set(seen[:2]) == {0}


@pytest.mark.posix
def test_a_link_stays_a_link(target: Path) -> None:
    link = target.with_name("link.json")
    link.symlink_to(target)
    write_atomically(str(link), NEW)
    assert link.is_symlink()
    assert target.read_text() == NEW


@pytest.mark.posix
def test_permissions_stay(target: Path) -> None:
    target.chmod(0o640)
    write_atomically(str(target), NEW)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_that_open_gives(target: Path) -> None:
    other = target.with_name("other.json")
    write_atomically(str(other), NEW)
    with open(target.with_name("plain"), "w"):
        pass
    assert other.stat().st_mode == target.with_name("plain").stat().st_mode


def _folder(target: Path) -> Path:
    (target.parent / "folder").mkdir()
    return target.parent / "folder"


def _device(target: Path) -> Path:
    fifo = target.with_name("fifo")
    os.mkfifo(fifo)
    return fifo


def _absent_folder(target: Path) -> Path:
    return target.parent / "absent" / "base.json"


def _below_a_file(target: Path) -> Path:
    return target / "base.json"


@pytest.mark.parametrize(
    "make", [_folder, pytest.param(_device, marks=pytest.mark.posix), _absent_folder, _below_a_file]
)
def test_targets_that_cannot_be_written(target: Path, make: Callable[[Path], Path]) -> None:
    path = make(target)
    before = {each: each.stat().st_mode for each in target.parent.iterdir()}
    with pytest.raises(OSError, match=r"."):
        write_atomically(str(path), NEW)
    assert {each: each.stat().st_mode for each in target.parent.iterdir()} == before
    assert target.read_text() == OLD


def test_a_file_that_is_write_protected_stays(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The superuser, as which tests may run, could write it.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="write-protected"):
        write_atomically(str(target), NEW)
    assert target.read_text() == OLD
