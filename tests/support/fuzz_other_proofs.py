"""Hunts false certificates of odd sets, and of trees of starred cells.

``tests.fuzz_trees`` runs it. Any number or list of their data may be changed.
"""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from starmin.auto.choice import solve_by
from starmin.instances import Certificate, KAnonymity, LDiversity, Problem
from starmin.models.matching.simplex_matching import simplex_matching
from starmin.models.nonhomogeneous.cell_prices import prove_by_cells
from starmin.testing.problems import Drawn
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker import BeyondError
from tests.support.one_file_checker import proven_alone
from tests.support.rowwise import rowwise_optimum
from tests.support.small_problems import random_objective, random_problem, random_table

Content = dict[str, Any]


def other_proofs(seed: int) -> Iterator[tuple[Drawn, Content, int]]:
    """Visit problems with certificates of odd sets or starred cells, and the optimum.

    That of the latter is the one among non-homogeneous releases.
    """
    rng = random.Random(seed)
    while True:
        _, table, losses, *_ = random_problem(rng.randrange(2**30))
        problem = Drawn(table, rng.choice([KAnonymity(2), LDiversity(2)]), losses)
        proof = simplex_matching(table, problem.requirement, objective=losses)
        if proof.certificate is not None and proof.certificate.kind == "odd_sets":
            yield problem, _plain(proof.certificate), problem.optimum.value
        table = random_table(rng, least=5, most=7)
        problem = Drawn(table, KAnonymity(2), random_objective(rng, table, "stars"))
        found = solve_by(
            "simplex_matching",
            Problem(table, problem.requirement, problem.objective),
            {},
        )
        if found.certificate is not None and found.certificate.kind == "odd_sets":
            yield problem, _plain(found.certificate), problem.optimum.value
        least = rowwise_optimum(table, problem.requirement, problem.objective)
        proof = least and prove_by_cells(
            table, problem.requirement, problem.objective, least, 1.0
        )
        if proof:
            yield problem, _plain(proof), least


def tampered(rng: random.Random, content: Content) -> Content:
    """Return a copy with one to three numbers or entries of lists changed."""
    content = copy.deepcopy(content)
    unit = content["data"].get("denominator", 2)
    for _ in range(rng.choice([1, 1, 2, 3])):
        if not (places := list(_places(content["data"]))):
            break
        holder, key = rng.choice(places)
        if type(holder[key]) is int:
            holder[key] += rng.choice([1, -1]) * rng.choice([1, 2, unit // 2, unit])
        elif holder[key] and rng.random() < 0.5:
            holder[key].pop(rng.randrange(len(holder[key])))
        elif holder[key]:
            holder[key].append(copy.deepcopy(rng.choice(holder[key])))
    content["bound"] += rng.choice([0, 1, 1, 2])
    return content


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Visit where numbers and lists stand in the data of a certificate."""
    inner = content.items() if isinstance(content, dict) else enumerate(content)
    for key, each in inner:
        if isinstance(each, dict | list):
            yield from _places(each)
        if isinstance(each, int | list):
            yield content, key


def tampered_faults(
    rng: random.Random, problem: Drawn, content: Content, optimum: int
) -> Iterator[str]:
    """Ask both checkers about a tampered certificate; visit what they do wrong."""
    lie = tampered(rng, content)
    rowwise = "nonhomogeneous" in lie["kind"]
    check = check_certificate(
        *(Certificate(**lie), problem.table, problem.requirement, problem.objective),
        recoding="nonhomogeneous" if rowwise else "suppression",
    )
    if (check.bound or 0) > optimum or (check.accepted and lie["bound"] > optimum):
        yield f"more than the optimum {optimum} is proven: {check}, {lie}"
    try:
        alone = proven_alone(problem.table, lie, problem.objective.scales)
    except BeyondError:
        return
    if alone != (None if check.bound is None else min(check.bound, lie["bound"])):
        yield f"the checkers differ: {alone}, {check}, {lie}"


def _plain(certificate: Certificate) -> Content:
    return json.loads(json.dumps(vars(certificate), default=dict))
