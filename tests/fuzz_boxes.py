"""Compares the program over boxes with brute force, and hunts false proofs by boxes.

``python -m tests.fuzz_boxes --problems 2000`` says how many problems it compared, and
how many edited certificates both checkers judged;
``tests/models/boxes/test_box_program.py`` runs a short form. Columns are ranges, trees
and flat ones, with rounded ends, widths, highest levels, own losses, weights, kept
columns, missing values and duplicates, or none. Groups have a number of rows, shares of
sensitive values, a number of them, or two of these.
"""

import argparse
import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from starmin.instances import (
    Certificate,
    Control,
    DistinctDiversity,
    Objective,
    Requirement,
    Result,
    Scales,
    Table,
    watch_runs,
)
from starmin.instances.scales.scale import TaxonomyScale
from starmin.models.boxes.box_program import box_program
from starmin.models.boxes.master.exact import DEFAULTS, BoxParams
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.fuzz_trees import by_standard_library, plain
from tests.support.small_problems import VALUES, ask, random_scales

Content = dict[str, Any]

WITHOUT_CUTS = BoxParams(cuts=0, program_share=0.0)  # so that more is left to trees
# k, l by frequency, and how many distinct values; 1 where nothing is asked for.
OF_ROWS = (2, 1, 1), (3, 1, 1), (4, 1, 1), (5, 1, 1)
OF_SHARES = (1, 2, 1), (1, 3, 1), (1, 4, 1), (3, 2, 1), (4, 2, 1), (5, 2, 1), (4, 3, 1)
OF_VALUES = (1, 1, 2), (1, 1, 3), (1, 1, 4), (3, 1, 2), (4, 1, 3), (5, 1, 2), (2, 1, 3)
BOUNDS = (*OF_ROWS, (2, 3, 1), *OF_SHARES, *OF_VALUES)
# Of two sensitive columns, or of shares and numbers of values in one.
JOINTLY = (1, 2, 1), (1, 3, 1), (3, 2, 1), (1, 1, 2), (1, 1, 3), (3, 1, 2), (4, 1, 3)
OF_BOTH = (1, 2, 3), (3, 2, 3), (1, 2, 2), (5, 2, 3)


def required(k: int, l: int, distinct: int) -> Requirement:
    """Return a requirement of all that is asked for."""
    if distinct == 1:
        return ask(k, l)
    values = DistinctDiversity(distinct)
    return ask(k, l) & values if max(k, l) > 1 else values


def random_problem(
    seed: int, most: int = 11
) -> tuple[Table, Requirement, Objective, random.Random]:
    """A table of 4 to ``most`` rows, k and l of either form, losses of any kind."""
    rng = random.Random(seed)
    n, d = rng.randint(4, most), rng.randint(1, 4)
    qi = list("abcd"[:d])
    kinds = ["numeric", "numeric", "tree", "flat"]
    how = {column: rng.choice(kinds) for column in qi}
    known = {
        c: VALUES[: rng.randint(2, 5)] + "??-"[: rng.choice([0, 0, 2, 3])] for c in qi
    }
    rows = [[*(rng.choice(known[c]) for c in qi), rng.choice("wxyz")] for _ in range(n)]
    if rng.random() < 0.4:
        rows = [list(rng.choice(rows[: max(2, n // 2)])) for _ in range(n)]
    if rng.random() < 0.6:
        for number, row in enumerate(rows):
            row[-1] = "wxyz"[number % 4]
    table = Table.from_rows([*qi, "s"], rows, qi, ["s"])
    weights = {c: rng.randint(0, 3) for c in rng.sample(qi, rng.choice([0, 0, 1]))}
    keep = tuple(rng.sample(qi, rng.choice([0] * 8 + [1])))
    if rng.random() < 0.1:
        objective = Objective("stars", weights, keep)
    else:
        scales = random_scales(rng, table, how)
        objective = Objective("gcp", weights, keep, scales)
    return table, required(*rng.choice(BOUNDS)), objective, rng


def joint_problem(
    seed: int, most: int = 10
) -> tuple[Table, Requirement, Objective, random.Random]:
    """A table with one to three sensitive columns, all of which are looked at."""
    table, _, objective, rng = random_problem(seed, most)
    columns = rng.choice([1, 2, 2, 2, 3])
    names = list("stu"[:columns])
    values = ["abcd"[: rng.randint(3, 4)] for _ in range(columns - 1)]
    rows = [[*row, *(rng.choice(some) for some in values)] for row in table.rows()]
    table = Table.from_rows([*table.qi, *names], rows, table.qi, names)
    bounds = OF_BOTH if columns == 1 else (*JOINTLY, *OF_BOTH)
    return table, required(*rng.choice(bounds)), objective, rng


Problem = tuple[Table, Requirement, Objective, random.Random]


def compare(
    seed: int, make: Callable[[int], Problem] = random_problem
) -> Result | None:
    """Compare with brute force and have the proof checked; None: no release."""
    table, requirement, objective, rng = make(seed)
    optimum = brute_force(table, requirement, objective).value
    params = rng.choice([DEFAULTS, WITHOUT_CUTS])
    with watch_runs(Control(gap=0.0)):
        found = box_program(table, requirement, objective=objective, params=params)
    assert (found.reason is None) == (optimum is not None), (seed, found)
    if optimum is None:
        return None
    assert found.value == found.lower_bound == optimum, (seed, found, optimum)
    if optimum == 0 and found.certificate is None:
        return found
    assert found.certificate is not None
    assert found.certified_bound == optimum, (seed, found.certified_bound, optimum)
    check = check_certificate(found.certificate, table, requirement, objective)
    assert check.accepted, (seed, check.why)
    if is_plain(objective.scales):
        content = plain(found.certificate)
        proven = by_standard_library(table, content, objective.scales)
        assert proven == optimum, (seed, proven, optimum)
    return found


def is_plain(scales: Scales | None) -> bool:
    """Return whether the checker of one file knows how all columns lose."""
    return scales is None or all(
        scale.rule is not None and scale.max_level is None
        for scale in scales.scales
        if isinstance(scale, TaxonomyScale)
    )


def edited(rng: random.Random, content: Content) -> Content:
    """Return a copy with one to three edits, often with a larger claim."""
    content = copy.deepcopy(content)
    for _ in range(rng.choice([1, 1, 2, 3])):
        _edit(rng, content["data"])
    if rng.random() < 0.7:
        content["bound"] += rng.choice([1, 1, 2, 5])
    return content


def _edit(rng: random.Random, data: Content) -> None:
    """Change one number, or drop or repeat one entry of a list."""
    lists = list(_lists(data))
    some = rng.choice([one for one in lists if one] or lists)
    if not some:
        some.append(rng.choice([{}, 0, [[0], 1]]))
        return
    at = rng.randrange(len(some))
    if isinstance(some[at], int) and rng.random() < 0.8:
        unit = data["denominator"]
        step = rng.choice([1, -1, unit, -unit, 3 * unit, -some[at], -2 * some[at]])
        some[at] += step
    elif rng.random() < 0.5:
        del some[at]
    else:
        some.insert(rng.randrange(len(some) + 1), copy.deepcopy(some[at]))


def _lists(content: Any) -> Iterator[list[Any]]:
    """Visit all lists of an object."""
    if isinstance(content, dict):
        for part in content.values():
            yield from _lists(part)
    elif isinstance(content, list):
        yield content
        for part in content:
            yield from _lists(part)


def judge(
    seed: int,
    found: Result,
    tries: int,
    make: Callable[[int], Problem] = random_problem,
) -> tuple[int, int]:
    """Have both checkers judge edited proofs; how many were tried, and accepted.

    Neither may accept more than the truth, and they must agree.
    """
    table, requirement, objective, rng = make(seed)
    accepted = 0
    content = plain(found.certificate)
    for _ in range(tries):
        wrong = edited(rng, content)
        check = check_certificate(Certificate(**wrong), table, requirement, objective)
        assert not check.accepted or wrong["bound"] <= found.value, (seed, wrong)
        accepted += check.accepted
        if is_plain(objective.scales):
            bound = by_standard_library(table, wrong, objective.scales)
            alone = bound is not None and bound >= wrong["bound"]
            assert alone == check.accepted, (seed, wrong, check, bound)
    return tries, accepted


def main() -> None:
    """Compare and judge as many problems as the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jointly", action="store_true", help="several columns")
    options = parser.parse_args()
    make = joint_problem if options.jointly else random_problem
    solved = trees = tried = accepted = 0
    for seed in range(options.first, options.first + options.problems):
        found = compare(seed, make)
        if found is None or found.certificate is None:
            continue
        solved += 1
        trees += "nodes" in found.certificate.data
        some, taken = judge(seed, found, 3, make)
        tried, accepted = tried + some, accepted + taken
    print(f"{solved} problems solved, {trees} by trees; all as brute force says")
    print(f"{tried} edited proofs judged, {accepted} of them accepted, none wrongly")


if __name__ == "__main__":
    main()
