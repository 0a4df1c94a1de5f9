"""Tests that compiled loops find a place where nothing but temporary files may be."""

import os
import stat
import sys
from pathlib import Path

import pytest

from starmin.process import loop_cache


@pytest.fixture
def read_only(tmp_path, monkeypatch):
    """An installation and a home where no file can be made."""
    blocked = tmp_path / "file"
    blocked.touch()  # in a file there is no folder, whoever asks
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(loop_cache, "_HOME", blocked)
    monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    # What is set by the function is undone after the test.
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    if "numba" in sys.modules:
        config = sys.modules["numba"].config
        monkeypatch.setattr(config, "CACHE_DIR", config.CACHE_DIR)
    return tmp_path / "tmp"


def test_a_private_temporary_folder_is_named(read_only, capsys):
    loop_cache.find_loop_cache()
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    assert folder.parent == read_only
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and str(folder) in said[0]
    os.environ["NUMBA_CACHE_DIR"] = ""
    loop_cache.find_loop_cache()
    assert os.environ["NUMBA_CACHE_DIR"] == str(folder)


@pytest.mark.parametrize("kind", ["open to others", "link"])
def test_a_folder_that_others_may_write_to_is_not_used(read_only, kind):
    folder = read_only / f"starmin-loops-{os.getuid()}"
    if kind == "link":
        (read_only / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(read_only / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    loop_cache.find_loop_cache()
    used = Path(os.environ["NUMBA_CACHE_DIR"])
    assert used != folder and stat.S_IMODE(used.stat().st_mode) == 0o700


def test_a_place_of_its_own_is_kept(read_only, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(loop_cache, "_HOME", tmp_path)
    loop_cache.find_loop_cache()
    assert os.environ["NUMBA_CACHE_DIR"] == "" and not capsys.readouterr().err
    assert list(tmp_path.glob("instances/__pycache__/*")) == []
