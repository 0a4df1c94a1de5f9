"""What a sweep is asked: its options, and the methods that it runs."""

from functools import reduce
from operator import and_

from starmin.auto.dispatch import AUTO
from starmin.inputs.names import split
from starmin.instances import (
    Coding,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Objective,
    Reading,
    Requirement,
    TableError,
    read_missing,
)
from starmin.instances.releases.coding import RecodingName
from starmin.registry.methods import find, supporting


def numbers(text: str | None, option: str) -> tuple[str, ...]:
    """Parse the values of an option, each a whole number of at least 1."""
    return tuple(map(str, whole_list(text, option, least=1))) if text else ()


def whole_list(text: str, option: str, least: int = 0) -> list[int]:
    """Parse whole numbers joined by commas, each one once."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise TableError(
            f"{option}: expected whole numbers >= {least} joined by commas, got "
            f"{text!r}"
        )
    return list(dict.fromkeys(map(int, parts)))


def words_of(**given: str | None) -> tuple[str, ...]:
    """Return the options that state the problem, for the commands of the runs.

    Examples
    --------
    >>> words_of(max_level="age=2", keep=None)
    ('--max-level', 'age=2')
    """
    return tuple(
        word
        for name, value in given.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", value)
    )


def chosen_methods(
    text: str | None,
    asked: dict[str, tuple[str, ...]],
    objective: Objective,
    recoding: RecodingName,
    reading: Reading | None = None,
    by_ids: bool = False,
) -> list[str]:
    """Choose the methods to run: those that are named, or all that take the problem.

    Where persons or households count, those that take distinct diversity take it.
    """
    if text is not None:
        names = list(dict.fromkeys(split(text, "--methods")))
        for name in names:
            if name != AUTO:
                find(name)
        return names
    parts: list[Requirement] = []
    if "--k" in asked:
        parts.append(KAnonymity(int(asked["--k"][0])))
    if "--l" in asked:
        parts.append(LDiversity(int(asked["--l"][0])))
    requirement = read_missing(reduce(and_, parts), reading)
    if by_ids:
        requirement = DistinctDiversity(2)
    problem = requirement, objective
    takers = supporting(*problem, "heuristic", "bound", recoding=recoding)
    return [AUTO, *(method.name for method in takers)]


def expect_bounded(coding: Coding, objective: Objective) -> None:
    """Raise TableError where a bound would not be one for what is published."""
    recoding, kind = coding.recoding, objective.kind
    if not coding.told:
        return
    if recoding in ("suppression", "permutation"):
        raise TableError("--numeric and --hierarchy: are for --recoding generalization")
    if kind != "gcp":
        raise TableError(
            f"--objective {kind}: its bounds are for suppression; with --numeric or "
            "--hierarchy --objective gcp --loss stars counts published stars"
        )
