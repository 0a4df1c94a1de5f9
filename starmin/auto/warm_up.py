"""Compile the loops of the methods once, so that no later command waits for them.

Numba compiles a loop when it is first called, in up to a minute for all that one method
calls, which no time limit interrupts, and keeps it on disk. Each method is called here
on small tables, again until a call compiles nothing: what it calls after the limit of a
first call, which compiling has used up, is called in a second one.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import astuple
from functools import cache, partial
from itertools import chain
from typing import get_args

import numpy as np

from instances import (
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Scales,
    Table,
    Taxonomy,
    TCloseness,
)
from instances.catalogue.generators import clustered
from instances.runs.method import Method
from instances.tables.grouping import COMPILED_FROM, group_by
from starmin.auto import warmed
from starmin.auto.accuracy_constrained import (
    ACCURACY_CONSTRAINED_METHODS,
    solve_accuracy_constrained,
)
from starmin.auto.dispatch import call
from starmin.auto.rules import RULES
from starmin.inputs.options import Kind
from starmin.registry.methods import METHODS, find

_ROWS = 600  # from 500 on `auto` starts large tables
_FEW_ROWS = 6  # for programs that list all groups or pairs of rows
_TEXTBOOK = (
    "assignment_mip",
    "matching_cp_sat",
    "matching_mip",
    "pair_matching",
    "pairwise_cp",
    "pattern_subsets",
    "range_ilp",
)
_SECONDS = 0.1  # of a call; a third of it reaches all loops, too
_CALLS = 6  # at most, of one method for one problem
_TREE = Taxonomy.parse("{low{0,1},high{2,3,4}}")
# Two processes begin with the first two, which have few loops in common.
_LONGEST = ("pattern_annealing", "local_search", "column_generation", "clustering")


def warm_up(
    names: Sequence[str] = (),
    workers: int | None = None,
    tell: Callable[[str, int], None] = lambda name, loops: None,
) -> int:
    """Compile what these methods need, default: all; how many loops that were.

    Parameters
    ----------
    names
        Of methods in the registry, or of the accuracy-constrained problem.
    workers
        Processes that compile side by side; default: one for each core.
    tell
        Called after each method with its name and how many loops were compiled for it.

    Notes
    -----
    Two minutes of processor time, on as many cores as there are; a second where all is
    compiled and no source has changed since.
    """
    # The longest first: no process is left alone with one of them at the end, and what
    # others call of their loops is on disk by then.
    order = dict.fromkeys([*_LONGEST, *METHODS, *ACCURACY_CONSTRAINED_METHODS])
    for name in names:
        if name not in ACCURACY_CONSTRAINED_METHODS:
            find(name)
    wanted = names or order
    chosen = [name for name in order if name in wanted and not warmed.known(name)]
    if not chosen:
        return 0
    total = 0
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        futures = {pool.submit(warm, name): name for name in chosen}
        for future in as_completed(futures):
            total += future.result()
            tell(futures[future], future.result())
    return total


def methods_of_auto() -> list[str]:
    """Return the methods that ``auto`` tries where releases publish groups.

    Examples
    --------
    >>> "pattern_ilp" in methods_of_auto()
    True
    """
    named = chain(*(value for value in astuple(RULES) if isinstance(value, tuple)))
    return [*_LONGEST[:2], *(name for name in named if name in METHODS)]


def warm(name: str) -> int:
    """Compile, in this process, what a method calls; how many loops that were.

    Examples
    --------
    >>> warm("pairwise_cp")
    0
    """
    from numba.core.event import RecordingListener, install_listener

    recorder = RecordingListener()
    with install_listener("numba:compile", recorder):
        _group_rows()
        for solve in _calls_of(name):
            for _ in range(_CALLS):
                before = len(recorder.buffer)
                try:
                    solve()
                except NotSupportedError:
                    break  # a limit of its own, as on k
                if len(recorder.buffer) == before:
                    break
    warmed.note(name)
    return len(recorder.buffer) // 2  # each begins and ends


def _calls_of(name: str) -> Iterator[Callable[[], object]]:
    """Yield calls of a method on small problems that it takes, of each kind."""
    if name in ACCURACY_CONSTRAINED_METHODS:
        table = _table(_ROWS, 6 if name != "k" else 0)
        options = {"time_limit": _SECONDS}
        given = table, 0.5, _objective("gcp", table), options
        yield partial(solve_accuracy_constrained, name, *given)
        return
    method = find(name)
    options = {"time_limit": _SECONDS, "workers": 1}
    for problem in _problems(method):
        yield partial(call, method, *problem, options)


def _problems(method: Method) -> Iterator[tuple[Table, Requirement, Objective]]:
    """Yield small problems that the method takes, of each kind."""
    rows = _FEW_ROWS if method.name in _TEXTBOOK else _ROWS
    few = _table(rows, 6)
    many = clustered(rows, d=6, alphabet=500, centres=1 + rows // 10, sensitive=2)
    numbers = [[f"{i % _FEW_ROWS}", f"{i % 5}"] for i in range(rows)]
    numbers[0][0] = "0.0000000001"
    fine = Table.from_rows("ab", numbers, qi="ab")  # its losses do not fit 64 bits
    asked: tuple[tuple[Table, Requirement], ...] = (
        (few, KAnonymity(3)),
        (many, KAnonymity(2)),
        (few, LDiversity(3)),
        (many, LDiversity(2)),
        (few, KAnonymity(2) & LDiversity(2)),
        (few, DistinctDiversity(3)),
        (few, DistinctDiversity(3) & KAnonymity(4)),
        (few, TCloseness.of(few, 0.3)),
        (fine, KAnonymity(_FEW_ROWS)),
    )
    for table, requirement in asked:
        for kind in get_args(Kind):
            objective = _objective(kind, table)
            if method.supports(requirement, objective, method.recodings[0]):
                yield table, requirement, objective


def _table(rows: int, sensitive: int) -> Table:
    """Make a table of five columns with few values."""
    centres = 1 + rows // 10
    return clustered(rows, d=5, alphabet=5, centres=centres, sensitive=sensitive)


def _objective(kind: Kind, table: Table) -> Objective:
    """Make an objective with columns of each kind, where they matter."""
    if kind != "gcp":
        return Objective(kind)
    numbers, tree, *_ = table.qi
    known = set(table.dictionary(tree)) <= set("01234")
    trees = {tree: _TREE} if known else {}
    return Objective(kind, scales=Scales.of(table, [numbers], trees))


@cache
def _group_rows() -> None:
    """Group rows of a large table by keys of few and of many bits, and publish them.

    Tables of many rows need it, whatever the method, and have compiled loops for it.
    """
    n = COMPILED_FROM
    sizes = [2, n, n - 1, n - 2]
    codes = np.arange(n, dtype=np.int32) % np.array(sizes, np.int32)[:, np.newaxis]
    texts = tuple(tuple(map(str, range(size))) for size in sizes)
    table = Table(tuple("abcd"), codes, texts, qi=tuple("abcd"))
    for columns in ("a", "ab", "abcd"):
        types = table.with_roles(tuple(columns)).row_types
        assert Partition(types.inverse).starred(table).any() == (len(types) < n)
    assert Partition(types.inverse).value(table, Objective("gcp")) == 0
    numbers = types.inverse.astype(np.int64)
    assert group_by([types.inverse, numbers], [n, n]).size == n
