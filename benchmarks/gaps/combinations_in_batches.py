"""Rules over combinations on tables that are read in batches: stars, bound, memory.

    python benchmarks/gaps/combinations_in_batches.py [--rows 1000000,4000000]
        [--seconds 90] [--write docs/data/combinations_in_batches.csv]

Each table of the generator ``census`` is written as a folder of Parquet files, solved
with pairs and k = 5 by the command, and its release is verified with the original.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from combinations import gap_of, solve
from kept import merge_rows

RULES = "--combinations 2 --k 5"


def main() -> None:
    """Print a line for each number of rows, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="1000000,4000000", help="of each table")
    parser.add_argument("--seconds", type=float, default=90.0, help="of each search")
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    asked = parser.parse_args()
    for n in sorted(int(text) for text in asked.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            table, release = f"{folder}/rows", f"{folder}/release"
            run(f"instances write census:n={n} --out {table}")
            limit = f"--time-limit {asked.seconds}"
            found = solve(f"{table} {RULES} {limit} --out {release}")
            # The most that any command has used so far: tables grow.
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
            run(f"verify {release} {RULES} --original {table}")
        row = {
            "rows": str(n),
            "rule": "pairs, k = 5",
            "stars": f"{found['value']:,}",
            "bound": f"{found['lower_bound']:,}",
            "gap": gap_of(found),
            "certified": "yes" if found["certificate_checked"] else "no",
            "seconds": f"{found['runtime']:.0f} s",
            "memory": f"{memory:.1f} GB",
        }
        print(" | ".join(row.values()), flush=True)
        merge_rows(asked.write, [row], ("rows",))


def run(words: str) -> None:
    """Run a command of starmin that has nothing to say."""
    line = [sys.executable, "-m", "starmin", *words.split(), "--quiet"]
    subprocess.run(line, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
