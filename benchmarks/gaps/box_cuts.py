"""What box cuts give for stars on Adult, beside group-count cuts.

    python benchmarks/gaps/box_cuts.py shared/data/adult.csv --k 5 25 --write FILE

A box cut says that at most |S| / k groups lie inside a set S of rows: a group-count cut
whose patterns have all their types in S, so that nothing is imported. Sets are grown
from the types of each open pattern by those of further ones. The third line has both
families, the others one; each has rounds of cuts as long as some are found.
"""

import argparse
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kept import merge_rows
from scipy.sparse import csr_matrix

import starmin
from starmin.instances import STARS, KAnonymity, Run
from starmin.instances.arrays import Floats
from starmin.models.bounds.pattern_lp import write_program
from starmin.models.lagrangian_relaxation.pattern_fills import Heights
from starmin.models.pattern_ilp.split_counts import Facts, Known
from starmin.models.pattern_ilp.tree_relaxation import Relaxation
from starmin.models.pattern_program.cut_separation import group_cuts
from starmin.models.pattern_program.pattern_program import GroupCut, PatternProgram

FIVE = "sex,race,marital-status,education,workclass"
HEADER = "columns", "k", "cuts", "relaxation", "bound", "rounds", "number", "seconds"
_ROUNDS, _STEPS, _ROWS = 12, 12, 200  # rounds; patterns and rows of a set, at most
_LEAST, _OPEN, _PENALTY = 0.01, 1e-6, 1e4

Separation = Callable[[PatternProgram, Floats], list[GroupCut]]


def box_cuts(program: PatternProgram, point: Floats) -> list[GroupCut]:
    """Find sets of rows with more groups inside than a k-th of their rows."""
    patterns, k = program.patterns, program.k
    shape = len(patterns), len(patterns.counts)
    ones = np.ones(len(patterns.types))
    fits = csr_matrix((ones, (patterns.pattern, patterns.types)), shape)
    y = point[program.first_y : program.first_y + len(patterns)]
    used = np.flatnonzero(y > _OPEN)
    near, weight, y = fits[used], patterns.counts.astype(float), y[used]
    rows, types = near @ weight, near @ np.ones(shape[1])

    def excess(inside: Floats) -> float:
        return float(y[near @ inside == types].sum() - weight @ inside // k)

    found: dict[bytes, GroupCut] = {}
    for seed in np.flatnonzero(rows <= _ROWS):
        inside = near[seed].toarray().ravel()
        best, chosen = excess(inside), inside
        for _ in range(_STEPS):
            more = rows - near @ (inside * weight)
            fit = (more > 0) & (more < rows)
            if not fit.any():
                break
            nearest = np.argmin(np.where(fit, more / np.sqrt(y), np.inf))
            inside = np.maximum(inside, near[nearest].toarray().ravel())
            if weight @ inside > _ROWS:
                break
            if (now := excess(inside)) > best:
                best, chosen = now, inside
        if best > _LEAST:
            whole = fits @ chosen == np.diff(fits.indptr)
            cut = GroupCut(np.flatnonzero(chosen), np.flatnonzero(whole))
            found[chosen.tobytes()] = cut
    return list(found.values())


def both(program: PatternProgram, point: Floats) -> list[GroupCut]:
    """Find cuts of both families."""
    return box_cuts(program, point) + group_cuts(program, point)


FAMILIES: dict[str, Separation] = {
    "boxes": box_cuts,
    "group counts": group_cuts,
    "both": both,
}


def measure(program: PatternProgram, separate: Separation) -> tuple[str, str, int, int]:
    """Return the relaxation, the bound with cuts, the rounds and the cuts."""
    known, numbers = Known(), itertools.count()
    relaxation = Relaxation(program, _PENALTY, known, numbers)
    free = Facts(Heights.free(len(program.patterns)), {})
    values: list[float] = []
    for _ in range(_ROUNDS):
        point = relaxation.solve(free, np.inf)
        assert point is not None
        values.append(point.value)
        cuts = separate(program, point.x)
        if not cuts or (len(values) > 1 and values[-1] - values[-2] < _LEAST):
            break
        new = [next(numbers) for _ in cuts]
        known.cuts.update(zip(new, cuts, strict=True))
        relaxation.add(new)
    shown = f"{values[0]:,.1f}", f"{values[-1]:,.1f}"
    return *shown, len(values) - 1, len(relaxation.cuts)


def main() -> None:
    """Measure one k after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--qi", default=FIVE)
    parser.add_argument("--k", type=int, nargs="+", default=[5, 25])
    parser.add_argument("--write", type=Path, help="keep the rows there")
    asked = parser.parse_args()
    qi = asked.qi.split(",")
    table = starmin.read_table(asked.table, qi)
    rows: list[Any] = []
    for k in asked.k:
        program = write_program(Run(table, KAnonymity(k), STARS))
        for name, separate in FAMILIES.items():
            began = time.process_time()
            found = measure(program, separate)
            seconds = f"{time.process_time() - began:.1f}"
            rows.append([len(qi), k, name, *found, seconds])
            print(*rows[-1], flush=True)
    cells = (map(str, row) for row in rows)
    kept = (dict(zip(HEADER, row, strict=True)) for row in cells)
    merge_rows(asked.write, kept, ("columns", "k", "cuts"))


if __name__ == "__main__":
    main()
