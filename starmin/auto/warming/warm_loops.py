"""Compile the loops of the methods once, so that no later command waits for them.

Numba compiles a loop when it is first called, in up to a minute for all that one method
calls, which no time limit interrupts, and keeps it on disk. Each method is called here
on small tables, again until a call compiles nothing: what it calls after the limit of a
first call, which compiling has used up, is called in a second one.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from itertools import chain

import numpy as np

from starmin.auto import many_pairs, within
from starmin.auto.accuracy_methods import ACCURACY_CONSTRAINED_METHODS
from starmin.auto.easier_problems import missing_values, persons
from starmin.auto.schedule.schedule import methods_of_schedule
from starmin.auto.warming import warmed
from starmin.auto.warming.warm_calls import calls_of
from starmin.instances import GCP, STARS, NotSupportedError, Partition, Table
from starmin.instances.runs.workers.cores import usable_cores
from starmin.instances.runs.workers.safe_start import safe_start
from starmin.instances.tables.grouping import COMPILED_FROM, group_by
from starmin.registry.methods import METHODS, find
from starmin.verify.certificates.prices.node_prices import node_price_bound
from starmin.verify.certificates.prices.star_prices import price_bound

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
        if name not in ACCURACY_CONSTRAINED_METHODS:
            find(name)
    wanted = names or order
    chosen = [name for name in order if name in wanted and not warmed.known(name)]
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

    Examples
    --------
    >>> "pattern_ilp" in methods_of_auto()
    True
    """
    beside = missing_values.METHODS, within.BOTH
    named = chain([many_pairs.METHOD, persons.METHOD], *beside, methods_of_schedule())
    return [*_LONGEST[:2], *named]


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
    warmed.note(name)
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
        assert price_bound(few, types, 2, l, STARS, prices, 1) == 0
        assert node_price_bound(few, types, 2, l, GCP, prices, 1) == 0
