"""Rules over combinations on tables that are read in batches: stars, bound, memory.

    python benchmarks/gaps/combinations_in_batches.py [--rows 1000000,10000000]
        [--seconds 120] [--write docs/data/combinations_in_batches.csv]

Each table of the generator ``census`` is written as a folder of Parquet files, solved
with pairs and k = 5 by the command, and its release is verified with the original.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from combinations import gap_of
from kept import merge_rows
from solve_cases import command

from starmin.gaps.fork_server import run_process

RULES = ["--combinations", "2", "--k", "5"]


def main() -> None:
    """Print a line for each number of rows, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="1000000,10000000", help="of each table")
    parser.add_argument("--seconds", type=float, default=120.0, help="of each search")
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    asked = parser.parse_args()
    for n in sorted(int(text) for text in asked.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            table, release = f"{folder}/rows", f"{folder}/release"
            write = ["instances", "write", f"census:n={n}", "--out", table]
            assert run_process([sys.executable, "-m", "starmin", *write]).code == 0
            limit = ["--time-limit", str(asked.seconds), "--out", release]
            found, _, mebibytes = command(["solve", table, *RULES, *limit])
            check, _, _ = command(["verify", release, *RULES, "--original", table])
            assert check["holds"] and check["consistent"]
        row = {
            "rows": str(n),
            "rule": "pairs, k = 5",
            "stars": f"{found['value']:,}",
            "bound": f"{found['lower_bound']:,}",
            "gap": gap_of(found),
            "certified": "yes" if found["certificate_checked"] else "no",
            "seconds": f"{found['runtime']:.0f} s",
            "memory": f"{mebibytes / 1024:.1f} GB",
        }
        print(" | ".join(row.values()), flush=True)
        merge_rows(asked.write, [row], ("rows",))


if __name__ == "__main__":
    main()
