"""What the runs of the corpus say: shares proven, gaps, and the worst cases.

    python benchmarks/corpus/page.py FOLDER [--limit 6] [--write docs/data]

reads what ``run.py`` keeps in FOLDER: runs of one limit, by default the one that most
runs had. It prints, for each kind of problem,

- how many problems there are, and how many are proven by a certificate;
- the gap to the certified bound: median, 90 % quantile, the greatest there is;
- on how many there is no certified bound;
- on how many ``auto`` is worse than the best of the other methods that were run, by
  more than 0.5 %;
- the primal integral of ``auto``: the mean over time of how far its release is above
  the best known, in per cent of that release; 100 before there is one;

then how many are within a gap, and the worst twenty, with the reasons that their runs
show. ``--write`` keeps these tables and all runs as ``corpus*.csv`` in a folder; of
docs/data the page of results and its picture are made anew, too.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kept import markdown, remake, write_rows
from run import lines_of, raise_best
from summary import Line, profile, run_row, shares, worst


def main() -> None:
    """Print the tables, and keep them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, help="seconds")
    parser.add_argument("--write", type=Path, help="a folder for CSV files")
    asked = parser.parse_args()
    lines = list(lines_of(asked.folder / "runs.jsonl"))
    known = best_of(asked.folder, lines)
    limit = asked.limit or Counter(line["limit"] for line in lines).most_common(1)[0][0]
    lines = [line for line in lines if line["limit"] == limit]
    tables = {
        "corpus": [run_row(line, known) for line in lines if "table" in line],
        "corpus_shares": [*shares(lines, known)],
        "corpus_profile": [*profile(lines)],
        "corpus_worst": [*worst(lines, known, 20)],
    }
    for name, rows in tables.items():
        if name != "corpus":
            print("\n".join(markdown(rows)), end="\n\n")
        write_rows(asked.write and asked.write / f"{name}.csv", markdown(rows))
    if asked.write:
        remake(asked.write, ("results_pages.py", "corpus"), ("pictures/corpus.py",))


def best_of(folder: Path, lines: Sequence[Line]) -> Line:
    """Return what is known of each problem."""
    path = folder / "best.json"
    if not path.exists():
        raise_best(path, iter(lines))
    best: Line = json.loads(path.read_text("utf-8"))
    return best


if __name__ == "__main__":
    main()
