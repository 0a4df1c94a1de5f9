"""Test a class of requirements, and an instance or a reduction.

Requirements are stated, checked by their definition, solved; an instance has the same
table each time, a reduction its proof.
"""

import random
import warnings
from collections import Counter
from itertools import combinations

import numpy as np

from starmin.extensions import register
from starmin.instances import GroupStats, Release, Requirement, Table, why_infeasible
from starmin.instances.catalogue.catalogue import Instance
from starmin.instances.requirements.requirement import PlainGroup
from starmin.instances.requirements.requirements import Asked
from starmin.testing.problems import Drawn
from starmin.verify.reductions.hard_instances import HardInstance
from starmin.verify.releases.release_check import check_release


def check_instance(instance: Instance, *, time_limit: float = 60.0) -> None:
    """Test an instance with its default parameters.

    Made twice it has the same cells; it has quasi-identifiers, and its requirement can
    be satisfied. Of a reduction every claim of the proof is tested on it, with an
    optimum that an exact method has proven: there is a release with no more stars than
    the threshold if and only if the answer is yes.

    Parameters
    ----------
    instance
        An ``Instance``, or a ``HardInstance`` whose table can be solved exactly.
    time_limit
        Seconds for the optimum of a reduction's table.

    Raises AssertionError, which says where it is wrong.

    Examples
    --------
    >>> from starmin.instances.catalogue.catalogue import INSTANCES
    >>> check_instance(INSTANCES["hospital"])
    """
    table, again = instance.load(), instance.load()
    assert table.names == again.names and table.rows() == again.rows()
    assert table.qi, f"{instance.name} has no quasi-identifiers"
    assert instance.description and instance.source, instance
    reason = why_infeasible(table, instance.requirement)
    assert reason is None, reason
    if isinstance(instance, HardInstance):
        _expect_reduced(instance, time_limit)


def _expect_reduced(instance: HardInstance, time_limit: float) -> None:
    from starmin.face import solve

    question = instance.ask()
    reduced = question.reduced
    assert reduced.threshold == instance.threshold, (reduced, instance)
    assert reduced.requirement == instance.requirement, (reduced, instance)
    found = solve(reduced.table, requirement=reduced.requirement, time_limit=time_limit)
    assert found.value is not None and found.value == found.lower_bound, found
    assert (found.value <= reduced.threshold) == question.answer, (found, reduced)
    verdict = question.reduction.check(question.source, optimum=found.units.value)
    assert verdict.holds, verdict.failed


ROWS = 7


def small_table(seed: int) -> Table:
    """Draw a table with columns ``a, b`` (QI), ``s`` (sensitive), ``own`` and ``id``.

    ``own`` has numbers from 1 to 4, ``id`` repeats.

    Examples
    --------
    >>> small_table(0).names
    ('a', 'b', 's', 'own', 'id')
    """
    rng = random.Random(seed)
    rows = [
        [rng.choice(values) for values in ("xy", "uvw", "xyz", "1234", "pqr")]
        for _ in range(ROWS)
    ]
    return Table.from_rows(["a", "b", "s", "own", "id"], rows, ["a", "b"], ["s"])


def check_requirement(kind: type[Requirement], *, tables: int = 6) -> None:
    """Test a class of requirements on small tables.

    What ``as_json`` returns is parsed to an equal requirement; its sentence is one.
    ``holds`` agrees with the definition, ``allows``, on every group of rows, and what
    satisfies it satisfies its core. The union of two groups that satisfy it satisfies
    it, which every method relies on. And what ``solve`` publishes satisfies it,
    recounted from the cells, and costs no less than the optimum of brute force.

    Parameters
    ----------
    kind
        The class; its ``example`` returns one for a table of ``small_table``, and its
        ``allows`` is written.
    tables
        How many.

    Raises AssertionError, which says where it is wrong.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> check_requirement(KAnonymity, tables=2)
    """
    seen = set()
    for seed in range(tables):
        table = small_table(seed)
        example = kind.example(table)
        assert example is not None, f"{kind.__name__}.example returns None"
        _expect_stated(kind, example, table)
        seen |= _expect_defined(example, table)
        _expect_solved(example, table)
    assert seen == {True, False}, f"the example is {seen} of every group"


def _expect_stated(kind: type[Requirement], example: Requirement, table: Table) -> None:
    if kind.options:
        register(kind)  # where its package is not installed yet
        again = Asked(example.as_json()).on(table)
        assert again == example, (again, example)
    said = example.sentence(table, "suppression")
    assert said.endswith("."), said


def _expect_defined(example: Requirement, table: Table) -> set[bool]:
    """Compare ``holds`` with ``allows`` on all groups; return what was found."""
    beside = {column: table.cells(column) for column in example.columns}
    hidden = {column: table.cells(column) for column in table.sensitive}
    fine: list[frozenset[int]] = []
    answers = set()
    for size in range(1, table.n + 1):
        for rows in combinations(range(table.n), size):
            plain = PlainGroup.of(list(rows), hidden, beside)
            stats = GroupStats.of(table, np.zeros(size, int), np.array(rows))
            held = bool(example.holds(stats)[0])
            assert held is example.allows(plain), (example, rows, table.rows())
            answers.add(held)
            within = _in_core(example, plain)
            exact = example.core.exact and within
            assert within if held else not exact, ("core", example.core, rows)
            if held:
                fine.append(frozenset(rows))
            else:
                assert example.why_not(0, stats), (example, rows)
    known = set(fine)
    for one, other in combinations(fine, 2):
        joined = not one & other and one | other
        assert not joined or joined in known, ("not monotone", example, one, other)
    return answers


def _in_core(example: Requirement, group: PlainGroup) -> bool:
    """Check what a requirement tells bounds of a group, by the definition."""
    core = example.core
    counts = [Counter(values) for values in group.sensitive]
    return group.size >= core.size and all(
        core.diversity * max(each.values()) <= group.size and len(each) >= core.distinct
        for each in counts
    )


def _expect_solved(example: Requirement, table: Table) -> None:
    from starmin.face import solve

    optimum = Drawn(table, example).optimum.value
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        found = solve(table, requirement=example, time_limit=60.0, gap=0.2)
    if optimum is None:
        assert found.best is None and found.reason, found
        return
    assert found.best is not None and found.value is not None, found
    units = found.units
    assert (units.value or 0) >= optimum >= (units.lower_bound or 0), (found, optimum)
    check = check_release(Release(table, found.best).published, example, table)
    assert check.holds and check.consistent, check
