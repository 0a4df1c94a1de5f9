"""What a rule over all columns costs where it is open, and closed under subsets.

    python benchmarks/gaps/open_rule.py adult.csv --drop salary-class --k 5

An open rule asks nothing of a row that hides any of its columns, so it is met by one
star for each row of a small class. Closed, all combinations of its columns are asked.
"""

import argparse

from starmin.heuristics.rules.rule_search import rule_search
from starmin.instances import Rules, read_table


def main() -> None:
    """Print stars and bound of both rules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--drop", default="")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    dropped = [name for name in asked.drop.split(",") if name]
    table = read_table(asked.table, drop=dropped)
    for closed in (False, True):
        rules = Rules([(table.qi, asked.k)], closed=closed)
        found = rule_search(table, rules, time_limit=asked.seconds)
        kind = "closed" if closed else "open"
        print(f"{kind}: {found.value:,} stars, bound {found.lower_bound:,}")


if __name__ == "__main__":
    main()
