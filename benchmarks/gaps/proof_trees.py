"""Optima proven by trees: leaves, bytes, seconds to find and to check.

    python benchmarks/gaps/proof_trees.py DATA --write docs/data/proof_trees.csv

Each table is solved by ``pattern_ilp``, suppressed tuples by ``tuple_ilp``, and what is
not proven in two minutes by ``auto``; both checkers then check its certificate, each in
a process of its own that reads table and certificate from files. In all it takes about
twelve minutes on two cores.
"""

import argparse
import gzip
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kept import write_rows

from starmin import load_instance, solve
from starmin.instances import KAnonymity, LDiversity, Requirement, Table, read_table
from starmin.instances.catalogue.generators import census
from starmin.instances.io.write import write_table
from starmin.verify.checker.join import joined
from starmin.verify.reductions import HARD_INSTANCES, VertexCover, named_cubic_graph

FIVE = ["sex", "race", "marital-status", "education", "workclass"]
FOUR = ["age", "sex", "race", "education"]
SIX = ["grade", "branch", "gender", "race", "hisp", "rank"]
HEAD = (
    "| table | requirement | value | bound | certified | leaves | bytes | compressed "
    "| find, s | `starmin verify`, s | one file, s |\n" + "|---" * 11 + "|"
)


@dataclass(frozen=True)
class Case:
    """A table, what is required of it, seconds to search, and the method."""

    name: str
    requirement: Requirement
    seconds: float = 60.0
    qi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    method: str = "pattern_ilp"

    def load(self, data: Path) -> Table:
        """Read the file, or make the instance."""
        if self.qi:
            return read_table(data / self.name, self.qi, self.sensitive)
        kind, _, argument = self.name.partition(":")
        if kind == "cover":
            return VertexCover().apply(named_cubic_graph(argument)).table
        if kind == "random-cover":
            ask = HARD_INSTANCES["vertex-cover-random"].ask
            return ask(n=int(argument), seed=1).reduced.table
        if kind == "census":
            return census(int(argument))
        return load_instance(self.name)


def cases() -> Iterator[Case]:
    """All cases, the small ones first."""
    for graph in ("k4", "k33", "prism", "cube", "petersen"):
        yield Case(f"cover:{graph}", KAnonymity(7))
    for n in (20, 50):
        yield Case(f"random-cover:{n}", KAnonymity(7), 120)
    yield Case("hospital", LDiversity(2))
    yield Case("murakami-uno", KAnonymity(2))
    for k in (5, 20):
        yield Case("mortgages", KAnonymity(k))
    yield Case("adult.csv", KAnonymity(2), 60, tuple(FIVE))
    yield Case("adult.csv", KAnonymity(5), 60, tuple(FOUR))
    yield Case("adult.csv", LDiversity(2), 60, tuple(FIVE), ("occupation",))
    yield Case("military.csv.gz", KAnonymity(5), 120, tuple(SIX))
    yield Case("military.csv.gz", LDiversity(2), 60, tuple(SIX[:5]), ("rank",))
    yield Case("census:600000", LDiversity(4), method="tuple_ilp")
    yield from moonshots()


def moonshots() -> Iterator[Case]:
    """Cases that are not proven in the time that they have."""
    for k in (5, 25):
        yield Case("adult.csv", KAnonymity(k), 120, tuple(FIVE), method="auto")
    yield Case("adult.csv", LDiversity(4), 120, tuple(FIVE), ("occupation",), "auto")


def line(case: Case, data: Path, folder: Path) -> str:
    """Solve a case and check its certificate twice; one line of the table."""
    table, original, proof = case.load(data), folder / "table.csv", folder / "p.json"
    write_table(table, original)
    tuples = case.method == "tuple_ilp"
    started = time.perf_counter()
    result = solve(
        table,
        requirement=case.requirement,
        method=case.method,
        objective="tuples" if tuples else "stars",
        time_limit=case.seconds,
    )
    found = time.perf_counter() - started
    assert result.certificate is not None
    result.certificate.write(proof)
    content = json.loads(proof.read_bytes())
    nodes = content["data"].get("nodes", [])
    leaves = sum(not {"split", "count_split"} & set(node) for node in nodes)
    columns = f"{', '.join(case.qi)}" + "".join(f"; {s}" for s in case.sensitive)
    wanted = content["requirement"]
    options = [text for key in wanted for text in (f"--{key}", str(wanted[key]))]
    roles = ["--qi", ",".join(table.qi)]
    if table.sensitive:
        roles += ["--sensitive", ",".join(table.sensitive)]
    checks = ["-m", "starmin", "verify", original, "--original", original, *roles]
    seconds = [f"{_run(*checks, '--certificate', proof):.1f}", "-"]
    if content["kind"] in ("prices", "tree", "residue"):
        (checker := folder / "checker.py").write_text(joined())
        seconds[1] = f"{_run('-I', checker, original, proof):.1f}"
    cells = [
        f"{case.name} {columns}".strip() + ", tuples" * tuples,
        " ".join(options).replace("--", ""),
        f"{result.value:,}",
        f"{result.lower_bound:,}",
        f"{result.certified_bound:,}",
        f"{leaves or '-'}",
        f"{proof.stat().st_size:,}",
        f"{len(gzip.compress(proof.read_bytes())):,}",
        f"{found:.1f}",
        *seconds,
    ]
    return f"| {' | '.join(cells)} |"


def _run(*command: object) -> float:
    """Run Python; return the seconds it took, refused if it says no."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stdout.decode() + done.stderr.decode())
    return time.perf_counter() - started


def main() -> None:
    """Run the cases; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="a folder with the files of tables")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    arguments = parser.parse_args()
    lines = [HEAD]
    for case in cases():
        if arguments.only in case.name:
            with TemporaryDirectory() as folder:
                lines.append(line(case, arguments.data, Path(folder)))
            print(lines[-1], flush=True)
    write_rows(arguments.write, lines)


if __name__ == "__main__":
    main()
