"""Tests that files appear whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from starmin.instances import (
    Table,
    TableError,
    check_writable,
    write_atomically,
    write_table,
)
from tests.support.places import HOME


def small() -> Table:
    return Table.from_rows(["a"], [["1"], ["2"]], qi=["a"])


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_while_writing_leaves_nothing(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("before")
    with pytest.raises(error), write_atomically(path) as file:
        file.write(b"half")
        raise error
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]
    assert path.read_text() == "before"
    path.unlink()
    with pytest.raises(error), write_atomically(path) as file:
        raise error
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    refusal = pytest.raises(TableError, match=r"x\.csv: cannot be written: No space")
    with refusal, write_atomically(path):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_that_takes_nothing_is_named() -> None:
    with pytest.raises(TableError, match=r"/dev/full: cannot be written: No space"):
        write_table(small(), Path("/dev/full"))


def test_files_get_usual_permissions_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    link.symlink_to(real)
    write_table(small(), link)
    assert link.is_symlink()
    assert real.read_text() == "a\n1\n2\n"
    umask = os.umask(0)
    os.umask(umask)
    assert real.stat().st_mode & 0o777 == 0o666 & ~umask


def test_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TableError, match="does not exist; make it first"):
        write_table(small(), tmp_path / "no" / "x.csv")
    with pytest.raises(TableError, match=r"expected a file \.csv"):
        write_table(small(), tmp_path / "x.doc")
    with pytest.raises(TableError, match="is a folder"):
        check_writable(tmp_path)
    # Root may write anywhere, so the answer of the system is replaced.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(TableError, match="is not writable"):
        write_table(small(), tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from starmin.instances.io.atomic import write_atomically
with write_atomically(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_at_the_next_run(tmp_path):
    home = str(HOME)
    for name in ("out.csv", "other.csv"):
        subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path / name)],
            env={**os.environ, "PYTHONPATH": home},
        )
    left = set(tmp_path.iterdir())
    assert len(left) == 2
    lookalike = tmp_path / ".starmin.notes"
    lookalike.touch()
    with write_atomically(tmp_path / "out.csv") as one:  # one that lives
        one.write(b"one")
        with write_atomically(tmp_path / "out.csv") as two:
            two.write(b"two")
    assert (tmp_path / "out.csv").read_bytes() == b"one"
    kept = set(tmp_path.iterdir()) - {tmp_path / "out.csv", lookalike}
    assert lookalike.exists() and len(kept) == 1 and kept < left
