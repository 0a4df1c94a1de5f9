"""Compile the loops of the methods once, so that no later command waits for them.

Numba compiles a loop when it is first called, in up to a minute for all that one method
calls, which no time limit interrupts, and keeps it on disk. Each method is called here
on small tables, again until a call compiles nothing: what it calls after the limit of a
first call, which compiling has used up, is called in a second one.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from starmin.auto.dispatch import (
    ACCURACY_CONSTRAINED_METHODS,
    call,
    solve_accuracy_constrained,
)
from starmin.auto.easier_problems import REDUCTIONS, WITHIN_METHODS
from starmin.auto.schedule import MANY_PAIRS_METHOD, methods_of_schedule
from starmin.extensions import register_installed
from starmin.heuristics.large_neighbourhood.ejection_moves import ChainOperator
from starmin.heuristics.near_patterns.search_parts import NEAR_PATTERN_PARAMS
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.inputs.options import Kind
from starmin.instances import (
    GCP,
    STARS,
    DeletedRows,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Problem,
    Requirement,
    Run,
    Scales,
    Table,
    Taxonomy,
    TCloseness,
)
from starmin.instances.catalogue.generators import clustered, hard_residue
from starmin.instances.loops import loop_cache
from starmin.instances.requirements.within import nested_within
from starmin.instances.runs.cores import usable_cores
from starmin.instances.runs.method import Method
from starmin.instances.runs.safe_start import safe_start
from starmin.instances.tables.grouping import COMPILED_FROM, group_by
from starmin.models.pattern_ilp.pattern_ilp import PatternIlpParams
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.pricing.pool_sources import pattern_pool
from starmin.registry import METHODS, find, of_any_family
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.prices.node_prices import node_price_bound, price_bound

# Calls of methods on small tables, which reach all loops that the methods have.
#
# A call of a tenth of a second does not come to what a search does late, or on large
# tables only: so there are calls for that, too.

Call = Callable[[], object]

_ROWS = 600  # from 500 on `auto` starts large tables
_FEW_ROWS = 6  # for programs that list all groups or pairs of rows
_TEXTBOOK = (
    *("assignment_mip", "l_by_dual", "l_mean", "l_ordered", "l_total"),
    *("matching_cp_sat", "matching_flow_tree", "matching_mip", "pair_matching"),
    *("pairwise_cp", "pattern_subsets"),
)
_SECONDS = 0.1  # of a call; a third of it reaches all loops, too
_TREE = Taxonomy.parse("{low{0,1},high{2,3,4}}")


def calls_of(name: str) -> Iterator[Call]:
    """Yield calls of a method on small problems that it takes, of each kind.

    The method is one of the registry, or of the accuracy-constrained problem.
    """
    if name in ACCURACY_CONSTRAINED_METHODS:
        table, limit = _accuracy_table(name), {"time_limit": _SECONDS}
        losses = _objective("gcp", table)
        yield partial(solve_accuracy_constrained, name, table, 0.5, losses, limit)
        return
    method = find(name)
    yield from _usual(method)
    if name in _LATER:
        yield from _LATER[name](method)


def _accuracy_table(name: str) -> Table:
    """Make a table for a method of the accuracy-constrained problem."""
    if name not in ("k_dual", "l_dual"):
        return _table(_ROWS, 6 if name != "k" else 0)
    rows = [[str(i), "xyz"[i % 3]] for i in range(10 * _FEW_ROWS)]
    return Table.from_rows("as", rows, "a", "s" if name == "l_dual" else "")


def _call(
    method: Method,
    table: Table,
    requirement: Requirement,
    objective: Objective = STARS,
    **others: Any,
) -> Call:
    options = {"time_limit": _SECONDS, "workers": 1, **others}
    return partial(call, method, Problem(table, requirement, objective), options)


def _usual(method: Method) -> Iterator[Call]:
    rows = _FEW_ROWS if method.name in _TEXTBOOK else _ROWS
    few = _table(rows, 6)
    many = clustered(rows, d=6, alphabet=500, centres=1 + rows // 10, sensitive=3)
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
        (few, DeletedRows(KAnonymity(3))),
        (few, DeletedRows(LDiversity(2))),
        nested_within(few, KAnonymity(3), np.arange(few.n) // 2),
    )
    for table, requirement in asked:
        for kind in get_args(Kind):
            objective = _objective(kind, table)
            if method.supports(requirement, objective, method.recodings[0]):
                yield _call(method, table, requirement, objective)


def _table(rows: int, sensitive: int) -> Table:
    """Make a table of five columns with few values."""
    centres = 1 + rows // 10
    return clustered(rows, d=5, alphabet=5, centres=centres, sensitive=sensitive)


def _objective(kind: Kind, table: Table) -> Objective:
    """Make an objective with columns of each kind, where they matter."""
    if kind != "gcp":
        return Objective(kind)
    numbers, *others = table.qi
    known = set("01234")
    trees = {c: _TREE for c in others[:1] if known.issuperset(table.dictionary(c))}
    return Objective(kind, scales=Scales.of(table, [numbers], trees))


def _cuts(method: Method) -> Iterator[Call]:
    """Group-count cuts come when prices have converged."""
    table = _table(_ROWS, 0)
    losses = _objective("gcp", table)
    yield _call(method, table, KAnonymity(2), losses, time_limit=20 * _SECONDS)


def _parts(method: Method) -> Iterator[Call]:
    """Tables are cut from millions of row types on."""
    params = replace(NEAR_PATTERN_PARAMS, most_types=_ROWS // 4, listing=0.0)
    yield _call(method, _table(_ROWS, 0), KAnonymity(3), params=params)


def _distinct_prices(method: Method) -> Iterator[Call]:
    """Prices replace the relaxation where that is large."""
    params = PatternIlpParams()
    params = replace(params, distinct=replace(params.distinct, large=0))
    yield _call(method, _table(_ROWS, 6), DistinctDiversity(3), params=params)


def _phases(method: Method) -> Iterator[Call]:
    """Phases two and three are for residues that greedy rules do not end."""
    for phase in (2, 3):
        yield _call(method, hard_residue(4, 6, phase, d=2), LDiversity(4))


def _chains(method: Method) -> Iterator[Call]:
    """Ejection chains come after dives."""
    run = Run(_table(_ROWS // 2, 6), LDiversity(3))

    def improve() -> None:
        offer_sorted(run)
        pool = pattern_pool(run, initial=run.best)
        patterns = pool.patterns
        loads = loads_of(run.table, run.objective, patterns, run.release)
        assert loads is not None
        useful, rng = np.ones(len(patterns.types), bool), np.random.default_rng(0)
        part = ChainOperator(pool, 1, 3, useful, rng).propose(loads, 1.0)
        assert part is not None
        part.solve()

    yield improve


_LATER: dict[str, Callable[[Method], Iterator[Call]]] = {
    "lagrangian": _cuts,
    "large_neighbourhood": _chains,
    "near_pattern_annealing": _parts,
    "pattern_ilp": _distinct_prices,
    "three_phase": _phases,
}


_CALLS = 6  # at most, of one method for one problem
# Two processes begin with the first two, which have few loops in common.
_LONGEST = ("pattern_annealing", "local_search", "column_generation", "clustering")


def warm_up(
    names: Sequence[str] = (),
    workers: int | None = None,
    tell: Callable[[str, int], None] = lambda name, loops: None,
) -> int:
    """Compile what these methods need, default: all; how many loops that were.

    The methods are of the registry, or of the accuracy-constrained problem. ``workers``
    processes compile side by side, by default one for each core; ``tell`` is called
    after each method with its name and how many loops were compiled for it.

    Notes
    -----
    Three minutes of processor time, on as many cores as there are; a second where all
    is compiled and no source has changed since.
    """
    # The longest first: no process is left alone with one of them at the end, and what
    # others call of their loops is on disk by then.
    order = dict.fromkeys([*_LONGEST, *METHODS, *ACCURACY_CONSTRAINED_METHODS])
    for name in names:
        of_any_family(name)
    wanted = names or order
    chosen = [name for name in order if name in wanted and not is_known(name)]
    if not chosen:
        return 0
    total = 0
    with safe_start(), ProcessPoolExecutor(workers or usable_cores()) as pool:
        futures = {pool.submit(warm, name): name for name in chosen}
        for future in as_completed(futures):
            total += future.result()
            tell(futures[future], future.result())
    return total


def methods_of_auto() -> list[str]:
    """Return the methods that ``auto`` tries where releases publish groups.

    >>> "pattern_ilp" in methods_of_auto()
    True
    """
    after = [name for by in REDUCTIONS for name in by.after]
    named = *after, *WITHIN_METHODS, *methods_of_schedule()
    return [*_LONGEST[:2], MANY_PAIRS_METHOD, *named]


def warm(name: str) -> int:
    """Compile, in this process, what a method calls; how many loops that were.

    >>> warm("pairwise_cp")
    0
    """
    from numba.core.event import RecordingListener, install_listener

    register_installed()
    recorder = RecordingListener()
    with install_listener("numba:compile", recorder):
        _check_prices(_group_rows())
        for solve in calls_of(name):
            for _ in range(_CALLS):
                before = len(recorder.buffer)
                try:
                    solve()
                except NotSupportedError:
                    break  # a limit of its own, as on k
                if len(recorder.buffer) == before:
                    break
    with suppress(OSError):  # note what this process has loaded or compiled
        content = "\n".join(sorted(loop_cache.used)).encode()
        loop_cache.write_whole(loop_cache.to_write() / _name(name), content)
    return len(recorder.buffer) // 2  # each begins and ends


@cache
def _group_rows() -> Table:
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
    assert Partition(types.inverse).value(table, GCP) == 0
    numbers = types.inverse.astype(np.int64)
    assert group_by([types.inverse, numbers], [n, n]).size == n
    return table


@cache
def _check_prices(table: Table) -> None:
    """Check bounds of a large table by prices, of stars and of vectors of nodes."""
    few = table.with_roles(("a", "b"), ("c",))
    for l, types in ((1, few.row_types), (2, few.sensitive_types)):
        prices = np.full(len(types), 3)
        for objective, bound in ((STARS, price_bound), (GCP, node_price_bound)):
            assert bound(PricedTypes(few, types, objective, 2, l, prices, 1)) == 0


# Notes of the methods whose loops are compiled, so that none is called for nothing.
#
# To learn that all loops of a method are on disk it has to be called on all problems
# that compile them, which takes half a minute for all methods. So what was loaded or
# compiled by then is noted beside the loops, under a name made of all sources, of the
# processor and of what compiles.

_HOME = Path(__file__).parents[1]
# A search through a folder does not go into links, which these are in a checkout.
_PARTS = ("", "instances", "heuristics", "models", "verify")


def is_known(method: str) -> bool:
    """Check that a method was called since sources changed, and its loops are there.

    >>> is_known("nothing_such")
    False
    """
    try:
        loops = (loop_cache.to_write() / _name(method)).read_text().split()
    except OSError:
        return False
    return all(
        any((folder / loop).exists() for folder in loop_cache.to_read())
        for loop in loops
    )


def _name(method: str) -> str:
    key = repr((method, loop_cache.host(), loop_cache.compilers(), _sources()))
    return f"{method}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.warm"


@cache
def _sources() -> str:
    """Name the sources of all packages by their content: three megabytes, 50 ms."""
    hashed = hashlib.sha256()
    for file in sorted({f for part in _PARTS for f in (_HOME / part).rglob("*.py")}):
        hashed.update(f"{file.relative_to(_HOME)}\0".encode())
        hashed.update(file.read_bytes())
    return hashed.hexdigest()
