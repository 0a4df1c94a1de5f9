r"""Stars, time and memory of the nearly linear cover of tables read in batches.

    python benchmarks/speed/near_linear.py --out FOLDER --rows 1,10,100 \
        --write docs/data/near_linear.csv

The tables are those of ``scale.py``, which are written anew where they are not there.
"""

import argparse
from pathlib import Path

from kept import write_rows
from scale import Store, run

HEAD = "| rows | stars | processor | peak memory |\n" + "|---" * 4 + "|"


def main() -> None:
    """Measure what the store does not have; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--rows", default="1,10", help="in millions")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    asked = parser.parse_args()
    lines = [HEAD]
    for millions in asked.rows.split(","):
        rows, table = int(float(millions) * 1e6), asked.out / millions / "table"
        table.parent.mkdir(parents=True, exist_ok=True)
        store = Store(asked.out / "near_linear.jsonl", rows)
        name = f"census:n={rows},sensitive=none"
        if not table.exists():
            run("starmin", f"instances write {name} --out {table} --json")
        solving = f"solve {table} --k 5 --method near_linear_cover --json --quiet"
        found = store.once("solve", lambda line=solving: run("starmin", line))
        lines.append(
            f"| {rows:,} | {found['value']:,} | {found['processor']:.0f} s "
            f"| {found['peak']:.1f} GB |"
        )
    print("\n".join(lines))
    write_rows(asked.write, lines)


if __name__ == "__main__":
    main()
