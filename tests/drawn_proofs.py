"""Draws certificates of every kind, and asks both checkers about edited ones.

    python -m tests.drawn_proofs --seconds 600 [--seed S]

They have to agree, and to prove no more than the optimum of the problem that is stated,
where that is known.
"""

import argparse
import contextlib
import copy
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starmin.instances import Objective, Table
from starmin.instances.scales.scale import TaxonomyScale
from starmin.models.boxes.box_program import box_program
from starmin.models.rules.rule_bounds import rule_prices
from starmin.registry import METHODS
from tests import fuzz_boxes, fuzz_trees
from tests.fuzz_certificates import Target, spoil
from tests.models.rules.test_rule_certificates import populations_of
from tests.models.rules.test_rule_trees import grown
from tests.support.fuzz_other_proofs import other_proofs, tampered
from tests.support.fuzz_pairs import Trial
from tests.support.fuzzing import starmin
from tests.support.kept_proofs import (
    REFUSED,
    Kept,
    Proof,
    Verdict,
    alone,
    by_verify,
    keep,
)
from tests.support.pair_problems import FEATURES, words, write_files
from tests.support.small_rules import least_by_rules, random_node_problem
from tests.support.small_rules import random_problem as random_rules

Content = dict[str, Any]
_BY_FEATURES = sorted(
    {*FEATURES} - {"pad", "margin", "decoys", "shuffle", "batches", "recipe"}
)


def of_table(
    table: Table, content: Content, objective: Objective | None, people: Any = ()
) -> Proof:
    """Return a certificate of a table, as files hold it."""
    trees = {}
    if objective is not None and objective.scales is not None:
        scales = objective.scales
        trees = {
            column: [list(path) for path in scale.taxonomy.paths]
            for column, scale in zip(scales.columns, scales.scales, strict=True)
            if isinstance(scale, TaxonomyScale)
        }
    rows = [[text or "" for text in row] for row in table.rows()]
    told = json.loads(json.dumps({"starmin_certificate": 2, **content}, default=dict))
    return Proof(list(table.names), rows, trees, list(people), told)


def proofs(seed: int) -> Iterator[tuple[Proof, int | None]]:
    """Draw certificates without an end; with the optimum, where it is known."""
    rng = random.Random(seed)
    trees, others = fuzz_trees.trees(seed), other_proofs(seed)
    for number in itertools.count(seed * 1_000_003):
        source = rng.choice(["pairs"] * 6 + ["boxes", "joint", "tree", "other", "lies"])
        if source == "pairs" and rng.random() < 0.3:
            source = rng.choice(["rules", "rule trees", "node rules"])
        if source == "pairs":
            yield from _of_features(rng, number)
        elif source in ("boxes", "joint"):
            make = fuzz_boxes.joint_problem
            make = make if source == "joint" else fuzz_boxes.random_problem
            table, asked, objective, _ = make(number % 10**6)
            params = rng.choice([fuzz_boxes.DEFAULTS, fuzz_boxes.WITHOUT_CUTS])
            asking = {"objective": objective, "params": params, "time_limit": 3.0}
            found = box_program(table, asked, **asking)
            if found.certificate is not None:
                told = vars(found.certificate)
                least = found.value if found.value == found.lower_bound else None
                yield of_table(table, told, objective), least
        elif source in ("tree", "other"):
            problem, content, *least = next(trees if source == "tree" else others)
            optimum = least[0] if least else problem.optimum.value
            yield of_table(problem.table, content, problem.objective), optimum
        elif source == "lies":
            target = Target.draw(rng)
            if target.optimum is not None and target.kind != "within":
                told = target.content(rng)
                yield of_table(target.table, told, target.objective), target.optimum
        else:
            yield from _of_rules(rng, source)


def _of_features(rng: random.Random, number: int) -> Iterator[tuple[Proof, int | None]]:
    """Solve and bound a problem in which features meet, by methods of all kinds."""
    features = tuple(rng.sample(_BY_FEATURES, rng.choice([1, 2, 2, 3])))
    trial = Trial(number, features, rng.random() < 0.2, False)
    problem = trial.problem
    names = [name for name, each in METHODS.items() if each.kind == "bound"]
    with TemporaryDirectory(prefix="proofs.") as folder, contextlib.chdir(folder):
        write_files(problem)
        told = ["--certificate", "c.json", "--quiet", "--time-limit", "2"]
        lines = [["solve", "t.csv", *words(problem), *told]]
        bounded = problem._replace(
            asked={k: v for k, v in problem.asked.items() if k != "by default"}
        )
        for name in ["auto", *rng.sample(names, 3)]:
            asked = words(bounded, {"recoding"})
            lines.append(["bound", "t.csv", *asked, *told, "--method", name])
        for line in rng.sample(lines, 2):
            Path("c.json").unlink(missing_ok=True)
            with contextlib.suppress(AssertionError):
                starmin(*line)
            if Path("c.json").exists():
                content = json.loads(Path("c.json").read_text())
                content.pop("note", None)
                trees = problem.asked.get("hierarchy", {})
                yield Proof(problem.names, problem.rows, trees, [], content), None


def _of_rules(rng: random.Random, source: str) -> Iterator[tuple[Proof, int | None]]:
    """Prove bounds of rules, by prices alone or with trees."""
    if source == "node rules":
        table, asked, objective, _ = random_node_problem(rng)
        optimum = None
    else:
        table, asked, objective = random_rules(rng)
        optimum = least_by_rules(table, asked, objective)
        if optimum is None:
            return
    if source == "rule trees":
        content = grown(table, asked, objective)[1]
    else:
        found = rule_prices(table, asked, objective=objective).certificate
        if found is None:
            return
        content = vars(found)
    people = [
        (
            [*each.names, "people"],
            [
                [*(text or "" for text in row), str(n)]
                for row, n in zip(each.rows(), _counts(each), strict=True)
            ],
            "people",
        )
        for each in populations_of(asked)
    ]
    yield of_table(table, content, objective, people), optimum


def _counts(table: Table) -> Sequence[int]:
    return [1] * table.n if table.counts is None else table.counts.tolist()


def edited(rng: random.Random, proof: Proof) -> Proof:
    """Return a certificate with one to three numbers, lists or entries changed."""
    content = copy.deepcopy(proof.content)
    how = rng.random()
    if how < 0.15:
        content["bound"] += rng.choice([1, 1, 2, -1, 10])
    elif how < 0.5:
        content = tampered(rng, content)
    elif how < 0.75:
        _change(rng, content["data"])
        content["bound"] += rng.choice([0, 0, 1, 1, 2])
    elif how < 0.85:
        part = content[rng.choice(["table", "requirement", "objective", "data"])]
        if part and rng.random() < 0.5:
            part.pop(rng.choice([*part]))
        else:
            part[rng.choice(["k", "sensitive", "floors", "extra", "sets"])] = 2
    else:
        spoil(rng, content)
    try:
        json.dumps(content)
    except ValueError:  # a number that is too long for a file
        return proof
    return proof._replace(content=content)


def _change(rng: random.Random, at: Any) -> None:
    """Change what stands anywhere, lists of lists as often as a number in them."""
    while at:
        key = rng.choice([*at] if isinstance(at, dict) else range(len(at)))
        inner = at[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.75:
            at = inner
        elif isinstance(at, list) and rng.random() < 0.6:
            at.insert(rng.randint(0, len(at)), copy.deepcopy(rng.choice(at)))
            return
        elif type(inner) is int and rng.random() < 0.7:
            at[key] = rng.choice([0, 1, -inner, 2 * inner, inner + 1, inner - 1])
            return
        else:
            del at[key]
            return


def wrong(proof: Proof, one: Verdict, other: Verdict, optimum: int | None) -> str:
    """Say what is wrong with two verdicts; nothing if they are right."""
    proven = int(str(one).split()[0]) if str(one)[0].isdigit() else None
    asked = proof.content.get("requirement")
    sizes = [asked.get(name) for name in "kl"] if isinstance(asked, dict) else []
    if any(type(size) is int and size > len(proof.rows) for size in sizes):
        return ""  # any bound is true where there is no release
    if one == REFUSED and other == proof.content.get("bound"):
        return "one refuses it, the other accepts it"
    if proven is not None and isinstance(other, int) and proven != other:
        return "they prove different bounds"
    for bound in proven, other:
        if optimum is not None and isinstance(bound, int) and bound > optimum:
            return f"the optimum is {optimum}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pool", type=Path, help="where what was drawn is kept")
    arguments = parser.parse_args()
    tried, faults, rng = Counter[str](), 0, random.Random(arguments.seed)
    pool = list[Kept]()
    end = time.monotonic() + arguments.seconds
    for proof, optimum in proofs(arguments.seed):
        for each in [proof, *(edited(rng, proof) for _ in range(12))]:
            asked = ["requirement", "objective", "table"]
            same = all(each.content.get(k) == proof.content[k] for k in asked)
            verdicts = alone(each), by_verify(each)
            pool.append((each, *verdicts))
            tried[each.kind] += 1
            if why := wrong(each, *verdicts, optimum if same else None):
                faults += 1
                print(f"{why}: {verdicts}\n{json.dumps(each)}", flush=True)
        if time.monotonic() > end:
            break
    if arguments.pool:
        keep(pool, arguments.pool)
    print(", ".join(f"{many} {kind}" for kind, many in tried.most_common()))
    print(f"{faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
