"""Whole commands measured: starmin solve, then starmin verify, case after case."""

import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from starmin import read_table
from starmin.gaps.fork_server import run_process


@dataclass(frozen=True)
class Case:
    """One table anonymized once.

    Attributes
    ----------
    table
        A file of the data folder, or ``instance:NAME``.
    qi
        The quasi-identifiers, with commas between them.
    requirement
        As on the command line.
    seconds
        Wall clock of the whole command.
    sensitive
        The sensitive column, if any.
    options
        Of ``starmin solve``: weights, kept columns, a seed.
    spared
        By how many of the seconds the time limit is shorter.
    """

    table: str
    qi: str
    requirement: str
    seconds: int
    sensitive: str | None = None
    options: str = ""
    spared: int = 2

    @property
    def name(self) -> str:
        """What tells it from the others."""
        parts = [self.table, self.qi, self.requirement, str(self.seconds)]
        return "|".join(filter(None, [*parts, self.sensitive, self.options]))

    @property
    def stem(self) -> str:
        """The name of its table in the report."""
        return self.table.removeprefix("instance:").split(".")[0]

    @property
    def columns(self) -> str:
        """Its columns in the report."""
        columns = self.qi.split(",")
        shown = ", ".join(columns) if len(columns) < 6 else f"{len(columns)} columns"
        return shown + (f"; {self.sensitive} sensitive" if self.sensitive else "")

    @property
    def asked(self) -> str:
        """Its requirement in the report."""
        return f"{self.requirement} {self.options}".replace("--", "").strip()


def command(arguments: list[str]) -> tuple[dict[str, Any], float, float]:
    """A command's JSON, its wall-clock seconds and its peak memory in MiB."""
    starmin = [sys.executable, "-m", "starmin"]
    ended = run_process([*starmin, *arguments, "--json", "--quiet"])
    try:
        said = json.loads(ended.out)
    except json.JSONDecodeError as error:
        told = f"{ended.last}; {ended.out[:80]!r}"
        raise RuntimeError(f"starmin {' '.join(arguments)}: {told}") from error
    return said, ended.seconds, ended.mebibytes


def measure(case: Case, data: Path, folder: Path) -> dict[str, Any]:
    """Solve and verify one case; what the report says of it."""
    release, proof = folder / "release.csv", folder / "certificate.json"
    table, roles = case.table, ["--qi", case.qi]
    if not table.startswith("instance:"):
        table = str(data / table)
        kept = {*case.qi.split(","), case.sensitive}
        others = [c for c in read_table(table).names if c not in kept]
        roles += ["--drop", ",".join(others)] if others else []
    roles += ["--sensitive", case.sensitive] if case.sensitive else []
    asked = case.requirement.split()
    limit = ["--time-limit", str(case.seconds - case.spared)]
    written = ["--out", str(release), "--certificate", str(proof)]
    wanted = [*roles, *asked, *case.options.split()]
    row, seconds, memory = command(["solve", table, *wanted, *limit, *written])
    original = ["--original", table]
    if proof.exists():  # else no bound was found in time
        original += ["--certificate", str(proof)]
    check, rechecked, _ = command(["verify", str(release), *roles, *asked, *original])
    verified = check["holds"] and check["consistent"]
    if proof.exists():
        verified = bool(verified and check["certificate"]["accepted"])
    return {
        "case": case.name,
        **row,
        "seconds": seconds,
        "memory": memory,
        "verified": verified,
        "verify_seconds": rechecked,
    }


def rows_of(
    cases: Sequence[Case], data: Path, store: Path | None
) -> Iterator[dict[str, Any]]:
    """What the report says of each case; what ``store`` holds is not run again."""

    def run(case: Case) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            return measure(case, data, Path(folder))

    for case in cases:
        yield once(case.name, store, partial(run, case))


def once(
    name: str, store: Path | None, run: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """What a store holds of a case; where it holds nothing, the case runs."""
    row = stored(store).get(name)
    if row is None:
        row = run()
        if store is not None:
            with store.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    return row


def stored(store: Path | None) -> dict[str, dict[str, Any]]:
    """Return what a store holds, by the name of the case."""
    if store is None or not store.exists():
        return {}
    lines = store.read_text(encoding="utf-8").splitlines()
    return {row["case"]: row for row in map(json.loads, lines)}


def machine() -> str:
    """Where and when."""
    when = datetime.now(UTC).strftime("%B %Y")
    return (
        f"Measured in {when} on {os.cpu_count()} shared cores, "
        f"Python {platform.python_version()}"
    )
