"""Hunts false certificates of kind ``tree``, and solvers that err.

``python -m tests.fuzz_trees --seconds 600`` solves small random tables, edits the trees
that prove their optima, and asks both checkers. Neither may accept a claim above the
optimum by brute force, and they must agree. Certificates of odd sets and of trees of
starred cells are tampered with, too, for the one checker that knows them. With
``--solvers`` it compares all exact methods with brute force and with the tree instead,
and names those that err. ``tests/verify/certificates/test_proof_trees.py`` runs a short
form of both.
"""

import argparse
import copy
import json
import math
import random
import time
from collections.abc import Iterator
from typing import Any

from starmin.auto.choice import solve_by
from starmin.instances import (
    Certificate,
    Coding,
    DistinctDiversity,
    KAnonymity,
    NotSupportedError,
    Objective,
    Problem,
    Result,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.models.pattern_ilp.branch_and_bound import branch_and_bound
from starmin.registry import METHODS
from starmin.testing.problems import Drawn, draw
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.starmin.methods.test_agreement import MOST_ROWS
from tests.support.fuzz_other_proofs import other_proofs, tampered_faults
from tests.support.one_file_checker import by_standard_library
from tests.support.rowwise import rowwise_optimum
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)

Content = dict[str, Any]
TREES = ("{y{a,b},c}", "{a,y{b,x{c}}}", "{y{a,b,c},z{d,e}}")


def trees(seed: int) -> Iterator[tuple[Drawn, Content]]:
    """Visit problems whose optimum takes a tree to prove, with its certificate."""
    rng = random.Random(seed)
    while True:
        table = random_table(rng, least=6, most=11)
        k, l = random_bounds(rng)
        wanted = ask(k, l)
        if l > 1 and rng.random() < 0.5:
            other = DistinctDiversity(l)
            if rng.random() < 0.4:  # both, distinct values asking for more
                wanted &= DistinctDiversity(l + 1)
            else:
                wanted = other if k == 1 else KAnonymity(k) & other
        problem = Drawn(table, wanted, random_losses(rng, table))
        if not problem.optimum.value:
            continue
        result = certified(problem)
        if result.certified_bound != result.value:  # of several sensitive columns
            continue
        content = plain(result.certificate)
        if result.certificate.kind == "tree" and not _by_prices(problem, content):
            yield problem, content


def _by_prices(problem: Drawn, content: Content) -> bool:
    """Return whether the prices of a tree prove its claim without its nodes."""
    bare = content | {"data": content["data"] | {"nodes": []}}
    scales = problem.objective.scales
    return by_standard_library(problem.table, bare, scales) == content["bound"]


def random_losses(rng: random.Random, table: Table) -> Objective:
    """Stars, tuples, or losses over hierarchies."""
    kind = rng.choice(["stars", "stars", "tuples", "gcp"])
    if kind != "gcp":
        return random_objective(rng, table, kind)
    trees = {
        c: Taxonomy.parse(rng.choice(TREES)) for c in table.qi if rng.random() < 0.7
    }
    loss = rng.choice(["ncp", "granularity", "stars"])
    keep = tuple(rng.sample(table.qi, rng.choice([0, 0, 0, 1])))
    weights = {c: rng.randint(0, 3) for c in rng.sample(table.qi, rng.choice([0, 1]))}
    return Objective(
        "gcp", weights, keep, Scales.of(table, taxonomies=trees, loss=loss)
    )


def certified(problem: Drawn) -> Result:
    """Solve by the method whose certificates are trees."""
    return branch_and_bound(
        problem.table,
        problem.requirement,
        objective=problem.objective,
        time_limit=0.3 if len(problem.table.sensitive) > 1 else math.inf,
    )


def plain(certificate: Certificate) -> Content:
    """Return what a file would hold."""
    return json.loads(json.dumps(vars(certificate), default=dict))


def edited(rng: random.Random, content: Content) -> Content:
    """Return a copy with one to three edits, often with a larger claim."""
    content = copy.deepcopy(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        _edit(rng, content["data"])
    if rng.random() < 0.6:
        content["bound"] += rng.choice([1, 1, 1, 2, 5])
    return content


def _edit(rng: random.Random, data: Content) -> None:
    nodes, unit = data["nodes"], data["denominator"]
    if not nodes:
        return
    node, other = rng.choice(nodes), rng.randrange(len(nodes))
    by = rng.choice([1, -1]) * rng.choice([1, 10**6, unit // 2, unit, 3 * unit])
    how = rng.randrange(16)
    rounds = data.get("rounds", [])
    if how == 0:  # a leaf, or an inner node, is dropped
        nodes.remove(node)
    elif how == 1 and "split" in node:  # what is split on changes
        node["split"][rng.randrange(2)] += rng.choice([1, -1, 2])
    elif how == 2 and node.get("prices"):
        node["prices"][2 * rng.randrange(len(node["prices"]) // 2) + 1] += by
    elif how == 3 and node.get("cuts"):
        node["cuts"][2 * rng.randrange(len(node["cuts"]) // 2) + 1] += by
    elif how == 4 and data["cuts"]:  # a cut has other types or patterns
        part = rng.choice(rng.choice(data["cuts"]))
        if part:
            part.pop(rng.randrange(len(part)))
    elif how == 5 and data["cuts"]:
        rng.choice(data["cuts"])[0].append(rng.randrange(len(data["prices"])))
    elif how == 6:  # paths swapped
        at = nodes.index(node)
        nodes[at], nodes[other] = nodes[other], nodes[at]
    elif how == 7:  # an inner node becomes a leaf
        for split in ("split", "count_split"):
            node.pop(split, None)
    elif how == 8:
        data["prices"][rng.randrange(len(data["prices"]))] += by
    elif how == 9 and data["patterns"]:
        rng.choice(data["patterns"]).append(rng.randrange(len(data["prices"])))
    elif how == 10:
        nodes.insert(other, copy.deepcopy(node))
    elif how == 11:  # a round more or less
        if rounds and rng.random() < 0.5:
            rounds.pop(rng.randrange(len(rounds)))
        else:
            more = copy.deepcopy(rng.choice([*nodes, *rounds]))
            for own in ("split", "count_split", "counts"):
                more.pop(own, None)
            data["rounds"] = [*rounds, more]
    elif how == 12 and rounds:
        flat = rng.choice(rounds).get(rng.choice(["prices", "cuts"]), [])
        if flat:
            flat[2 * rng.randrange(len(flat) // 2) + 1] += by
    elif how >= 13:
        _edit_counts(rng, data, node, by)


def _edit_counts(rng: random.Random, data: Content, node: Content, by: int) -> None:
    """Change a count, its multiplier or its split, or split a leaf on one more."""
    counts = data.setdefault("counts", [])
    how = rng.randrange(4)
    if how == 0 and counts:
        count = rng.choice(counts)
        name = rng.choice(["of", "types", "patterns"])
        if name == "of":
            count["of"] = rng.choice(["rows", "groups"])
        elif rng.random() < 0.3:
            count.pop(name, None)
        elif count.get(name):
            count[name].pop(rng.randrange(len(count[name])))
    elif how == 1 and node.get("counts"):
        node["counts"][2 * rng.randrange(len(node["counts"]) // 2) + 1] += by
    elif how == 2 and "count_split" in node:
        node["count_split"][rng.randrange(2)] += rng.choice([1, -1, 2])
    elif not {"split", "count_split"} & set(node):
        _grow(rng, data, node)


def _grow(rng: random.Random, data: Content, node: Content) -> None:
    """Split a leaf on a count, and pay for it in both children."""
    nodes, counts, unit = data["nodes"], data["counts"], data["denominator"]
    m, named = len(data["prices"]), len(data["patterns"])
    count = {"of": rng.choice(["rows", "groups", "groups"])}
    if rng.random() < 0.7:
        count["types"] = rng.sample(range(m), rng.randint(1, m))
    if rng.random() < 0.5:
        count["patterns"] = rng.sample(range(named), rng.randint(0, named))
    counts.append(count)
    number, at = len(counts) - 1, nodes.index(node)
    node["count_split"] = [number, rng.choice([0, 1, 1, 2, 3])]
    for sign in (-1, 1):  # the second child is put in first
        paid = [number, sign * rng.choice([-1, 1, 1, 1]) * rng.randint(0, 3 * unit)]
        if number and rng.random() < 0.3:
            paid += [rng.randrange(number), rng.choice([-unit, unit])]
        nodes.insert(at + 1, {"counts": paid})


def faults(rng: random.Random, problem: Drawn, content: Content) -> Iterator[str]:
    """Ask both checkers about an edited certificate; visit what they do wrong."""
    lie = edited(rng, content)
    table, optimum = problem.table, problem.optimum.value
    check = check_certificate(
        Certificate(**lie), table, problem.requirement, problem.objective
    )
    bound = by_standard_library(table, lie, problem.objective.scales)
    accepted = bound is not None and bound >= lie["bound"]
    if accepted != bool(check.accepted):
        yield f"the checkers differ: {bound}, {check}, {lie}"
    if max(bound or 0, check.bound or 0) > optimum:
        yield f"more than the optimum {optimum} is proven: {bound}, {check}, {lie}"
    if check.accepted and lie["bound"] > optimum:
        yield f"a false claim is accepted: {lie}"


def errors(seed: int) -> Iterator[str]:
    """Compare exact methods on one problem; visit those that err, named.

    What they call optimal must be certified, and by both checkers.
    """
    rng = random.Random(seed)
    form = rng.choice(
        ["k", "l", "k+l", "distinct", "distinct+k", "distinct+l", "distinct+k+l"]
    )
    problem = draw(seed, form, rng.choice(["stars", "gcp", "tuples"]), 9)
    table, requirement, objective = (
        problem.table,
        problem.requirement,
        problem.objective,
    )
    optimum = brute_force(table, requirement, objective).value
    for method in METHODS.values():
        if (
            method.kind != "exact"
            or table.n > MOST_ROWS.get(method.name, 11)
            or not method.supports(requirement, objective)
        ):
            continue
        try:
            found = solve_by(method.name, Problem(table, requirement, objective), {})
        except NotSupportedError:
            continue
        if found.value != optimum or found.lower_bound != optimum:
            yield (
                f"{method.name}, seed {seed}: {found.value}, bound "
                f"{found.lower_bound}; the optimum is {optimum}"
            )
        elif optimum:
            why = _uncertified(problem, found)
            yield from [f"{method.name}, seed {seed}: {why}"] if why else []


def rowwise_errors(seed: int) -> Iterator[str]:
    """Compare exact methods of non-homogeneous releases; visit those that err, named.

    What they call optimal must be certified.
    """
    problem = draw(seed, "k", ["stars", "tuples"][seed % 2], 6)
    table, requirement, objective = (
        problem.table,
        problem.requirement,
        problem.objective,
    )
    optimum = rowwise_optimum(table, requirement, objective)
    for method in METHODS.values():
        rowwise = method.kind == "exact" and method.supports(
            requirement, objective, "nonhomogeneous"
        )
        if not rowwise:
            continue
        try:
            found = solve_by(
                method.name,
                Problem(table, requirement, objective, Coding("nonhomogeneous")),
                {},
            )
        except NotSupportedError:
            continue
        if found.value != optimum or found.lower_bound != optimum:
            yield (
                f"{method.name}, seed {seed}: {found.value}, bound "
                f"{found.lower_bound}; the optimum is {optimum}"
            )
        elif optimum:
            check = found.certificate and check_certificate(
                found.certificate, table, requirement, objective, "nonhomogeneous"
            )
            if not check or not check.accepted or check.bound != optimum:
                yield f"{method.name}, seed {seed}: {optimum}, certified {check}"


def _uncertified(problem: Drawn, found: Result) -> str:
    """Say what is wrong with the certificate of an optimum; nothing if it is right."""
    if found.certificate is None or found.certified_bound != found.value:
        return f"{found.value}, certified {found.certified_bound}"
    table, objective = problem.table, problem.objective
    check = check_certificate(found.certificate, table, problem.requirement, objective)
    if not check.accepted:
        return f"its certificate is refused: {check.why}"
    content = plain(found.certificate)
    numbers = any(
        isinstance(s, NumericScale) for s in objective.scales_of(table).scales
    )
    bound = by_standard_library(table, content, objective.scales)
    known = content["kind"] not in ("prices", "tree") or not numbers
    if known and bound != found.value:
        return "the checker of one file refuses its certificate"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--solvers", action="store_true")
    arguments = parser.parse_args()
    end, tried, false = time.monotonic() + arguments.seconds, 0, 0
    rng, found = random.Random(arguments.seed), trees(arguments.seed)
    others = other_proofs(arguments.seed)
    while time.monotonic() < end:
        if arguments.solvers:
            seed = arguments.seed + tried
            wrong = [*errors(seed), *(rowwise_errors(seed) if seed % 4 == 0 else ())]
            tried += 1
        else:
            problem, content = next(found)
            wrong = [w for _ in range(40) for w in faults(rng, problem, content)]
            other = next(others)
            wrong += [w for _ in range(10) for w in tampered_faults(rng, *other)]
            tried += 50
        false += len(wrong)
        for each in wrong:
            print(each)
    what = "problems" if arguments.solvers else "edited certificates"
    print(f"{tried:,} {what}; faults: {false}")
    return int(false > 0)


if __name__ == "__main__":
    raise SystemExit(main())
