"""k-map: what a row shows of two columns fits at least five people of a population.

    python benchmarks/gaps/k_map.py [--rows 300000] [--write docs/data/k_map.csv]

A table of the generator ``census`` is its own population; the release is verified.
"""

import argparse
import tempfile
from pathlib import Path

from combinations import gap_of
from kept import merge_rows
from solve_cases import command

RULES = ["--combinations", "2", "--k", "5", "--semantics", "source"]


def main() -> None:
    """Print a line for each number of rows, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="300000", help="of each table")
    parser.add_argument("--write", type=Path, help="a CSV file of the table")
    asked = parser.parse_args()
    for n in sorted(int(text) for text in asked.rows.split(",")):
        table, population = f"instance:census:n={n}", f"instance:census:n={n}"
        told = [*RULES, "--population", population]
        with tempfile.TemporaryDirectory() as folder:
            release = f"{folder}/release.csv"
            limit = ["--time-limit", "60", "--out", release]
            found, seconds, _ = command(["solve", table, *told, *limit])
            check, _, _ = command(["verify", release, *told, "--original", table])
            assert check["holds"] and check["consistent"]
        row = {
            "rows": str(n),
            "columns": str(found["d"]),
            "stars": f"{found['value']:,}",
            "bound": f"{found['lower_bound']:,}",
            "gap": gap_of(found),
            "certified": "yes" if found["certificate_checked"] else "no",
            "seconds": f"{seconds:.0f} s",
        }
        print(" | ".join(row.values()), flush=True)
        merge_rows(asked.write, [row], ("rows",))


if __name__ == "__main__":
    main()
