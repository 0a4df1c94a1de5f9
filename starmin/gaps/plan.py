"""What a sweep is asked: its options, and the methods that it runs."""

from functools import reduce
from operator import and_

from starmin.auto.dispatch import AUTO
from starmin.inputs.spec import Spec
from starmin.instances import (
    Coding,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Objective,
    Requirement,
    TableError,
    read_missing,
)
from starmin.instances.requirements.missing_values import stated_reading
from starmin.instances.requirements.requirements import Asked
from starmin.instances.tables.name_lists import split_names
from starmin.registry.methods import find, supporting


def whole_list(text: str | None, option: str, least: int = 0) -> list[int]:
    """Parse whole numbers joined by commas, each one once; None has none."""
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise TableError(
            f"{option}: expected whole numbers >= {least} joined by commas, got "
            f"{text!r}"
        )
    return list(dict.fromkeys(map(int, parts)))


def chosen_methods(text: str | None, spec: Spec) -> list[str]:
    """Choose the methods to run: those that are named, or all that take the problem.

    ``text`` has names joined by commas; None: all that take the problem. ``spec`` is a
    problem of the sweep; others differ in the numbers k and l, and in the table. Where
    persons or households count, those that take distinct diversity take it.
    """
    if text is not None:
        names = list(dict.fromkeys(split_names(text, "--methods")))
        for name in names:
            if name != AUTO:
                find(name)
        return names
    asked, parts = vars(spec.asked), list[Requirement]()
    if asked["k"] is not None:
        parts.append(KAnonymity(asked["k"]))
    if asked["l"] is not None:
        parts.append(LDiversity(asked["l"]))
    stated = Asked(asked)
    requirement = read_missing(reduce(and_, parts), stated_reading(stated))
    if stated.ids is not None:
        requirement = DistinctDiversity(2)
    problem = requirement, spec.goal
    takers = supporting(*problem, "heuristic", "bound", recoding=spec.recoding)
    return [AUTO, *(method.name for method in takers)]


def expect_bounded(coding: Coding, objective: Objective) -> None:
    """Raise TableError where a bound would not be one for what is published."""
    recoding, kind = coding.recoding, objective.kind
    ranged = {*coding.numeric, *coding.trees}
    if recoding in ("suppression", "permutation"):
        ranged -= {*coding.floors.min_levels}
        if ranged:
            raise TableError(
                "--numeric and --hierarchy: are for --recoding generalization"
            )
    if ranged and kind != "gcp":
        raise TableError(
            f"--objective {kind}: its bounds are for suppression; with --numeric or "
            "--hierarchy --objective gcp --loss stars counts published stars"
        )
