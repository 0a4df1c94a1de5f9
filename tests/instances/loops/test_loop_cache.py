"""Tests that compiled loops are kept and found, beside any version of numba.

Loops are then compiled by numba alone, in each process.
"""

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from numba.core.registry import cpu_target

from starmin.instances.loops import loop_cache as loop_folders
from starmin.instances.loops import notice, versions
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.loops.loop_cache import COMMON_LEVEL, LoopCache, digest
from tests.support.places import HOME

VARIABLE = "NUMBA_CACHE_DIR"


@pytest.fixture
def read_only(tmp_path, monkeypatch):
    """An installation and a home where no file can be made."""
    blocked = tmp_path / "file"
    blocked.touch()  # in a file there is no folder, whoever asks
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(loop_folders, "_BESIDE", blocked / "__pycache__")
    monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    loop_folders._first_that_takes_files.cache_clear()
    yield tmp_path / "tmp"
    loop_folders._first_that_takes_files.cache_clear()


def test_a_private_temporary_folder_is_named_once(read_only, capsys):
    folder = loop_folders.to_write()
    assert folder.parent == read_only
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and str(folder) in said[0]
    assert loop_folders.to_write() == folder and not capsys.readouterr().err


@pytest.mark.parametrize("kind", ["open to others", "link"])
def test_a_folder_that_others_may_write_to_is_not_used(read_only, kind):
    folder = read_only / Path(loop_folders._private_folder()).name
    folder.rmdir()
    if kind == "link":
        (read_only / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(read_only / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    used = loop_folders.to_write()
    assert used != folder and stat.S_IMODE(used.stat().st_mode) == 0o700


def test_the_place_beside_the_source_comes_first_and_needs_no_word(
    read_only, capsys, monkeypatch, tmp_path
):
    monkeypatch.setattr(loop_folders, "_BESIDE", tmp_path / "beside")
    assert loop_folders.to_write() == tmp_path / "beside"
    assert not capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, str(tmp_path / "chosen"))
    assert loop_folders.to_write() == tmp_path / "chosen" / "starmin"
    assert tmp_path / "beside" not in loop_folders.to_read()


def made(addend):
    """A loop that adds, and a loop that calls it; each time new ones."""

    @compiled
    def add(numbers):
        total = 0
        for number in numbers:
            total += number + addend
        return total

    @compiled
    def twice(numbers):
        return 2 * add(numbers)

    return twice


def misses(loop):
    return sum(loop.stats.cache_misses.values())


def test_a_loop_is_found_again_unless_what_it_calls_has_changed(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    numbers = np.arange(4)
    for addend, value, compiled_anew in ((1, 20, 1), (1, 20, 0), (2, 28, 1)):
        loop = made(addend)
        assert (loop(numbers), misses(loop)) == (value, compiled_anew)


def test_what_a_wheel_ships_is_found_for_the_common_level_and_never_written(
    read_only, tmp_path, monkeypatch
):
    """Compiled by a process that is told the level, read by this one."""
    triple, _, features = cpu_target.target_context.codegen().magic_tuple()
    if not triple.startswith("x86_64") or "+avx2" not in features:
        pytest.skip("the common level is one of x86-64")
    monkeypatch.setenv("NUMBA_CPU_NAME", COMMON_LEVEL)
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "built"))
    line = "import numpy; from tests.instances.loops.test_loop_cache import made;"
    line += "print(made(1)(numpy.arange(4)))"
    said = subprocess.check_output([sys.executable, "-c", line], cwd=HOME)
    assert said == b"20\n"
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(loop_folders, "SHIPPED", tmp_path / "built" / "starmin")
    shipped = set(loop_folders.SHIPPED.iterdir())
    assert shipped
    loop = made(1)
    assert (loop(np.arange(4)), misses(loop)) == (20, 0)
    assert set(loop_folders.SHIPPED.iterdir()) == shipped


def test_a_file_of_a_class_that_has_moved_is_compiled_anew(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    made(1)(np.arange(4))
    for file in (tmp_path / "starmin").iterdir():
        file.write_bytes(b"cstarmin.instances.no_such_module\nState\n.")
    loop = made(1)
    assert (loop(np.arange(4)), misses(loop)) == (20, 1)


def test_constants_count_and_comments_do_not():
    def loop(text, constant):
        names = {"CONSTANT": constant, "np": np, "__name__": "module"}
        exec(text, names)
        return digest(names["loop"])

    text = "def loop(n):\n    return n * CONSTANT\n"
    first = loop(text, 3)
    assert loop("\n\n" + text.replace("\n ", "  # why\n "), 3) == first
    changed = (loop(text, 4), loop(text, 3.0), loop(text.replace("*", "+"), 3))
    assert len({first, *changed, loop(text, np.arange(3))}) == 5


def test_who_waits_for_a_compiler_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    told = []
    monkeypatch.setattr(notice, "on_compile", lambda: told.append(1))
    made(1)(np.arange(4))
    assert told
    told.clear()
    made(1)(np.arange(4))
    assert not told


def test_a_loop_without_a_wrapper_is_another_one():
    def double(x):
        return 2 * x

    machine = ("", "", "")
    names = {
        LoopCache(double, options)._name("(int64,)", machine)
        for options in ((), {"no_cpython_wrapper": True}, {"inline": "always"})
    }
    assert len(names) == 3


def test_an_inner_loop_is_kept_to_be_linked(tmp_path, monkeypatch):
    """Another loop that calls it, as in another process, does not compile it again."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    compiles = []
    monkeypatch.setattr(notice, "on_compile", lambda: compiles.append(1))

    def double(x):
        return 2 * x

    def plus(number):
        twice = inner(double)

        def caller(x):
            return twice(x) + number

        return compiled(caller)

    assert (plus(1)(4), plus(2)(4)) == (9, 10)
    assert len(compiles) == 3  # the inner loop once, each caller once


def test_a_slice_of_another_length_is_refused(tmp_path, monkeypatch):
    """In our words, not numba's, which are compiled into each loop."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))

    @compiled
    def put(numbers, given):
        numbers[1:3] = given

    numbers = np.zeros(4, int)
    put(numbers, np.array([5, 6]))
    assert numbers.tolist() == [0, 5, 6, 0]
    with pytest.raises(ValueError, match="array of another length"):
        put(numbers, np.arange(3))


OTHER_INTERNALS = "del numba.core.untyped_passes.InlineClosureLikes"


def solve(before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Solve a small problem after a line that changes numba."""
    code = f"import numba, numba.core.untyped_passes\n{before}\n"
    code += "from starmin.__main__ import script\nscript()\n"
    line = "solve instance:hospital --k 2 --json --quiet"
    line += " --method lexicographic_suppression"  # few loops
    return subprocess.run(
        [sys.executable, "-c", code, *line.split()],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_a_small_problem_is_solved(tmp_path: Path) -> None:
    found = solve(OTHER_INTERNALS, NUMBA_CACHE_DIR=str(tmp_path))
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["value"] == 2
    (line,) = found.stderr.splitlines()
    assert line.startswith("starmin does not know the compiler of numba")
    assert not list(tmp_path.iterdir())  # nothing is kept that might be out of date


def test_a_numba_that_compiles_nothing_is_refused_in_one_line(tmp_path: Path) -> None:
    """Sums beyond 64 bits would not be those of compiled loops."""
    found = solve("", NUMBA_DISABLE_JIT="1")
    assert found.returncode == 2 and "NUMBA_DISABLE_JIT" in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_there_is_nothing_to_warm_up(monkeypatch, capsys) -> None:
    from starmin.cli.app import main

    monkeypatch.setattr(versions, "compile_loop", lambda: versions._plain)
    monkeypatch.setattr(sys, "argv", ["starmin", "warm-up"])
    assert main() == 2
    assert "are not kept" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["0.75.0", "0.61.2", "0+untagged"])
def test_which_versions_are_known(version: str, monkeypatch) -> None:
    assert versions._kept() is not None
    monkeypatch.setattr("numba.__version__", version)
    assert versions._kept() is None


def test_those_that_may_be_installed_are_those_that_are_known() -> None:
    project = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    assert versions.KNOWN in project["dependencies"]
