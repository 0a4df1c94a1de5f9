"""The first commands of a new user: from a fresh clone, from a wheel, from read-only.

    python benchmarks/speed/fresh_copy.py DATA/adult.csv
        [--write docs/data/fresh_copy.csv]
        [--parts clone,wheel,read-only,source,compile]

- *clone*: the committed tree is cloned, ``make install`` is timed, and the same command
  is called ten times. None may take longer than a second beyond its limit, and the
  first three should find what the tenth finds.
- *wheel*: ``make wheel`` there, installed in an environment of its own without ``make``
  and with an empty home folder; the command is called three times.
- *read-only*: the same environment, where the command can write neither to the home
  folder nor to the installed packages.
- *source*: pip installs the sources without any compiled loop.
- *compile*: processor seconds to compile all loops, none being kept.

Needs git, make and a registry of packages.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from kept import write_rows

REPOSITORY = Path(__file__).parents[2]
EIGHT = "sex,age,race,marital-status,education,native-country,workclass,occupation"
LIMIT = 10
PARTS = ("clone", "wheel", "read-only", "source", "compile")
HEAD = "| where | seconds before it | command | seconds | stars |\n" + "|---" * 5 + "|"


def run(
    line: Sequence[object], folder: Path, variables: Mapping[str, str] | None = None
) -> tuple[str, float]:
    """Run a command in a folder; return what it says, and its seconds."""
    words = [str(word) for word in line]
    began = time.perf_counter()
    ended = subprocess.run(
        words,
        cwd=folder,
        env={**clean(), **(variables or {})},
        capture_output=True,
        text=True,
    )
    if ended.returncode:
        sys.exit(f"failed: {' '.join(words)}\n{ended.stderr[-2000:]}")
    return ended.stdout, time.perf_counter() - began


def clean() -> dict[str, str]:
    """Return the variables of the environment but for those of this environment."""
    mine = {"VIRTUAL_ENV", "PYTHONPATH", "NUMBA_CACHE_DIR"}
    return {name: value for name, value in os.environ.items() if name not in mine}


def solve(
    where: str,
    before: str,
    starmin: Sequence[object],
    table: Path,
    numbers: Sequence[int],
    variables: Mapping[str, str] | None = None,
) -> list[str]:
    """Call the command as often as there are numbers; return the lines of the page."""
    asked = ["--qi", EIGHT, "--k", "5", "--time-limit", LIMIT, "--json", "--quiet"]
    lines = []
    for number in numbers:
        line = [*starmin, "solve", table, *asked]
        said, took = run(line, table.parent, variables)
        stars = json.loads(said)["value"]
        lines.append(f"| {where} | {before} | {number} | {took:.1f} | {stars:,} |")
        print(lines[-1], flush=True)
    return lines


def cloned(folder: Path, table: Path, time_it: bool) -> list[str]:
    """Clone and install; call the command ten times if wanted."""
    copy = folder / "copy"
    run(["git", "clone", "-q", REPOSITORY, copy], folder)
    _, took = run(["make", "install"], copy)
    if not time_it:
        return []
    before = f"`make install` {took:.0f}"
    program = [copy / ".venv/bin/starmin"]
    return solve("clone", before, program, table, range(1, 11))


def from_wheel(folder: Path, table: Path, time_it: bool) -> list[str]:
    """Build a wheel and install it by pip alone; call the command if wanted."""
    copy = folder / "copy"
    run(["make", "wheel"], copy)
    (wheel,) = (copy / "dist").glob("*.whl")
    return installed(folder, wheel, "wheel", table, time_it)


def installed(
    folder: Path, what: Path, name: str, table: Path, time_it: bool
) -> list[str]:
    """Install by pip in an environment of its own; call the command if wanted."""
    place, home = folder / name, folder / f"home-{name}"
    home.mkdir()
    run([sys.executable, "-m", "venv", place], folder)
    pip = [place / "bin/python", "-m", "pip", "install", "-q"]
    fixed = folder / "copy/constraints.txt"
    _, took = run([*pip, "--constraint", fixed, what], folder)
    if not time_it:
        return []
    before, own = f"`pip install` {took:.0f}", {"HOME": str(home)}
    return solve(name, before, [place / "bin/starmin"], table, range(1, 4), own)


def from_read_only(folder: Path, table: Path) -> list[str]:
    """Call the command where neither home nor packages can be written."""
    home = folder / "sealed"
    home.mkdir()
    run(["chmod", "-R", "a-w", folder / "wheel", home], folder)
    program: list[object] = [folder / "wheel/bin/starmin"]
    if os.geteuid() == 0:  # the superuser writes anywhere unless that right is given up
        right = "-dac_override"
        program = [
            "setpriv",
            f"--bounding-set={right}",
            f"--inh-caps={right}",
            *program,
        ]
    own = {"HOME": str(home)}
    lines = solve("wheel, read-only", "", program, table, range(1, 4), own)
    run(["chmod", "-R", "u+w", folder / "wheel", home], folder)
    return lines


def compiled(folder: Path) -> list[str]:
    """Compile all loops with none kept; return the processor seconds."""
    own = {"NUMBA_CACHE_DIR": str(folder / "loops")}
    lines = []
    for what in ("all loops", "again, all being there"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        line = [folder / "copy/.venv/bin/python", "-m", "starmin", "warm-up"]
        _, took = run(line, folder, own)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        lines.append(f"- `starmin warm-up`, {what}: {used:.0f} s of processor, "
                     f"{took:.0f} s")  # fmt: skip
        print(lines[-1], flush=True)
    return lines


def measure(folder: Path, table: Path, parts: Sequence[str], page: Path | None) -> None:
    """Measure the parts, and put them on the page."""
    lines = [HEAD, *cloned(folder, table, "clone" in parts)]
    if "wheel" in parts or "read-only" in parts:
        lines += from_wheel(folder, table, "wheel" in parts)
    if "read-only" in parts:
        lines += from_read_only(folder, table)
    if "source" in parts:
        copy = folder / "copy"
        lines += installed(folder, copy, "source", table, True)
    if "compile" in parts:
        lines += ["", *compiled(folder)]
    write_rows(page, lines)


def main() -> None:
    """Make the folder, measure, remove it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, help="Adult")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    given = parser.parse_args()
    parts = given.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part {min(unknown)!r}; there are: {', '.join(PARTS)}")
    folder = Path(tempfile.mkdtemp(prefix="starmin-"))
    try:
        measure(folder, given.table.resolve(), parts, given.write)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
