"""Certify what a search found, check its certificate, and save its answer.

Every search ends so, whatever becomes of it. What an exact method calls optimal on the
word of a solver is proven afterwards.
"""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from traceback import clear_frames
from typing import Any

from starmin.auto.dispatch import on, own_cores, signed
from starmin.auto.task import Size, Task
from starmin.instances import (
    Certificate,
    Control,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Persons,
    Result,
    Run,
    Status,
    TableError,
    watch_runs,
)
from starmin.instances.releases.coding import NONHOMOGENEOUS
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.cores import limited_to, usable_cores
from starmin.instances.runs.result import Best, is_near, unproven
from starmin.instances.runs.search_control import interrupted, stopping
from starmin.instances.runs.watch import Watch, ending_gap, watched
from starmin.models.nonhomogeneous.cell_prices import prove_by_cells
from starmin.models.patterns.patterns import is_wide
from starmin.process.faults import InternalError, described
from starmin.registry import METHODS

# Certify what an exact method calls optimal on the word of a solver.

_PROVER = "branch_and_bound"
_OF_BOXES = "box_program"  # of small tables
_SMALL = 300  # rows
_TRIED = "tree_nodes"  # The figure of a search for a tree.
_SECONDS = 10.0  # The proof may take so long, or as long as the search if that is more.


def certified(found: Result[Any], task: Task) -> Result[Any]:
    """Return a result with a tree that proves it optimal, where one is found in time.

    It is left as it is unless it is optimal and its certificate proves less. No tree
    over patterns is searched where its method has done so itself. The time limit of the
    task holds for the search that found it and the tree together. Raises
    ArithmeticError where a release costs less than what was called optimal; it names
    who proved that.
    """
    limit, asked = _seconds(found, task), task.requirement
    if limit <= 0:
        return found
    if task.problem.rowwise:
        if task.objective.by_node:
            return found
        return _with_proof(found, task, limit, prove_by_cells)
    if isinstance(asked, Persons) and asked.whole:
        if not found.value:
            return found
        # It loads a solver.
        from starmin.models.pattern_variants.person_price_tree import prove_together

        return _with_proof(found, task, limit, prove_together)
    few = task.table.n <= _SMALL and found.stats.get("method") != _OF_BOXES
    provers = task.takers([_OF_BOXES]) if few else []
    provers += [] if _TRIED in found.stats else task.takers([_PROVER])
    if not provers:
        return found
    run = task._replace(options={}).run()
    run.learn(found)
    tree = {"initial": found.best, "time_limit": limit}
    proof = task._replace(options=tree).attempt(provers[0])
    if proof is None:
        return found
    assert proof.best is not None
    run.offer(proof.best)
    run.learn(proof)
    return replace(
        found,
        certificate=run.certificate,
        runtime=found.runtime + proof.runtime,
        stats={**found.stats, _TRIED: proof.stats.get(_TRIED, 0)},
    )


def _with_proof(
    found: Result[Best],
    task: Task,
    limit: float,
    prove: Callable[..., Certificate | None],
) -> Result[Best]:
    """Return a result with a certificate, if that proves more than its own."""
    started = time.perf_counter()
    asked = task.table, task.requirement, task.objective
    proof = prove(*asked, found.value, limit)
    runtime = found.runtime + time.perf_counter() - started
    if proof is None or proof.bound <= (found.certified_bound or 0):
        proof = found.certificate
    return replace(found, certificate=proof, runtime=runtime)


def _seconds(found: Result[Any], task: Task) -> float:
    """Return how long a proof may be searched; 0 where none is needed, or was tried."""
    gap = ending_gap(task.objective)
    proven = is_near(found.value, found.certified_bound or 0, gap)
    if found.status is not Status.OPTIMAL or proven:
        return 0.0
    left = task.seconds - found.runtime
    return max(0.0, min(left, max(_SECONDS, found.runtime)))


_SECONDS_PER_PAIR = 1e-7  # of a row type and its cells to star, on a slow core;
_SECONDS_PER_NODES = 2e-8  # of one and a vector of nodes, as prices rule most out
_SLOWLY = 0.2  # seconds: what takes longer is left to compiled loops,
_COMPILED = 0.15  # which take so much of the rest,
_BY_RANGES = 200_000  # and share it among the cores from so many row types on
_SECONDS_PER_ROWS = 6e-10  # of two row types, by column, where rows prove a bound
_SECONDS_PER_TYPE = 3e-4  # of a row type whose combinations have prices, by rules
_SPREAD = 5.0  # times what is expected, a check may take
_SHARE = 0.2  # of the time is kept back for the check at most;
_RANGE_SHARE = 0.05  # with ranges, where prices rule most pairs out before they are met
_LATE = 0.3  # Seconds, and a share of the limit, by which a check that has begun
_LATE_SHARE = 0.05  # may end late.
_SOON = 0.3  # seconds for a check after an interrupt, or after a search that was late


def guarded(
    method: str,
    carry_out: Callable[[Task], Result[Any]],
    task: Task,
    control: Control,
    bounds: bool = False,
) -> Result[Any]:
    """Carry out a search, keep what it had found when it broke, and check its proof.

    ``method`` is the name that it was called by; ``bounds``: only a bound is asked for.
    The time limit of the task is for search and check together. ``control`` says who is
    told of the search, and when it ends before its time. ``certificate_checked`` of the
    result says whether its certificate was accepted, and is False where there was no
    time to check it.

    Raises InternalError where the checker refuses the certificate, and, with the
    release, where an error struck after one was found.
    """
    began, limit = time.perf_counter(), task.seconds
    same, found = on(task.problem), None

    def about(run: Run[Any]) -> bool:
        by_rows = bounds or not task.problem.rowwise or _is_nonhomogeneous(run)
        return same(run) and by_rows

    cores = limited_to(own_cores(task.options))
    with cores, watch_runs(control, about) as runs:
        try:
            kept = seconds_kept(task)
            less = task.given(time_limit=limit - kept) if kept else task
            found = _stopped(carry_out(less))
            control.ended()
        except (KeyboardInterrupt, MemoryError) as error:
            control.ended()
            if found is None:
                own = [*filter(about, runs)]
                found = _stopped(signed(_rest(task, runs, own, error, bounds), method))
        except (NotSupportedError, TableError):
            raise
        except Exception as error:
            control.ended()
            own = [*filter(about, runs)]
            if bounds or (saved := _saved(task, runs, own)) is None:
                raise
            raise InternalError(described(error), signed(saved, method)) from error
    assert found is not None
    left = limit - (time.perf_counter() - began)
    return checked(found, task, left + _LATE + _LATE_SHARE * limit)


def seconds_kept(task: Task) -> float:
    """Return what is kept back of the time limit to check a certificate.

    Checks take as long as there are pairs of a row type and a vector of nodes, and less
    where few patterns matter, as with ranges. Where the vectors are too many to walk
    over, a check looks at all pairs of two row types.
    """
    return min(_seconds_of_check(task))


def may_be_late(task: Task) -> bool:
    """Return whether a check may take longer than there will be time for it."""
    needed, most = _seconds_of_check(task)
    return _SPREAD * needed > min(needed, most) + _LATE + _LATE_SHARE * task.seconds


def _seconds_of_check(task: Task) -> tuple[float, float]:
    """Return the seconds that a check may take, and the most that is kept for it."""
    if math.isinf(task.seconds):
        return 0.0, 0.0
    table, by_masks = task.table, task.requirement.space == MASK
    apart = table.sensitive and not by_masks
    types = table.sensitive_types if apart else table.row_types
    many = len(types) if task.requirement.of_rows else table.n  # with an id of each
    a_pair = _SECONDS_PER_NODES if task.objective.by_node else _SECONDS_PER_PAIR
    each = a_pair * float(task.objective.vectors_above(table))
    if by_masks:
        each = max(each, _SECONDS_PER_TYPE)
    size, needed = Size(task), each * many
    by_rows = 2 * _SECONDS_PER_ROWS * size.comparisons
    if size.by_rows:
        return by_rows, _SHARE * task.seconds
    scales = task.objective.scales_of(table).scales if task.objective.by_node else ()
    ranged = any(scale.layout.is_line for scale in scales)
    if ranged or is_wide(table, types, task.objective, task.seconds):
        return max(needed, by_rows), _RANGE_SHARE * task.seconds
    if not by_masks and needed > _SLOWLY:
        at_once = 1
        if len(types) >= _BY_RANGES and not task.objective.by_node:
            at_once = own_cores(task.options) or usable_cores()
        needed = _SLOWLY + _COMPILED * (needed - _SLOWLY) / at_once
    return needed, _SHARE * task.seconds


def _stopped(result: Result[Best]) -> Result[Best]:
    """Say of a result why the search was to stop, where that was before the proof."""
    if not stopping() or result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return result
    watch = watched()
    own = None if watch is None or interrupted() else watch.limit
    return replace(result, limit=own or Limit.INTERRUPTED)


def _is_nonhomogeneous(run: Run[Any]) -> bool:
    """Check by what a run found, or what proved its bound, whether it is about them."""
    if run.best is not None:
        return isinstance(run.best, NonHomogeneous)
    method = METHODS.get(run.bound_method or "")
    return method is not None and NONHOMOGENEOUS in method.recodings


def _rest(
    task: Task, watch: Watch, runs: list[Run[Any]], error: BaseException, bounds: bool
) -> Result[Any]:
    """Return the best of what runs had found when an error broke them off.

    It is an interrupt, or that memory is short; its frames give their memory back.
    """
    run = task.run()
    if not bounds:
        if no := run.infeasible():
            return no
        task.begin(run)
    watch.teach(run)
    clear_frames(error.__traceback__)
    for other in runs:
        if other.best is not None:
            run.offer(other.best)
        run.learn(other)
    short = isinstance(error, MemoryError)
    return run.result(Limit.MEMORY if short else Limit.INTERRUPTED)


def _saved(task: Task, watch: Watch, runs: list[Run[Any]]) -> Result[Any] | None:
    """Return the best release of runs that a bug broke off, or None without any."""
    found = (watch.best, *(run.best for run in runs))
    releases = [release for release in found if release is not None]
    if not releases:
        return None
    run = task.run()
    task.begin(run)
    for release in releases:
        with suppress(ValueError):  # it may be what is wrong
            run.offer(release)
    return unproven(run.result())


def checked(found: Result[Best], task: Task, seconds: float) -> Result[Best]:
    """Return a result with the verdict on its certificate.

    The checks may take so many ``seconds``. Spare certificates are looked at first: the
    best one that was accepted, be it during the search, is kept where the time is up
    before another is checked. The first one has a moment, however late it is: a bound
    that was not checked is told to no one. Raises InternalError where one is refused.
    """
    if found.certificate is None:
        return found
    before, began = interrupted(), time.perf_counter()
    most = min(seconds, _SOON) if before else seconds

    kept = found.accepted
    proofs = [one for one in (*found.spares, found.certificate) if one is not kept]
    for proof in proofs:
        end = began + (max(most, _SOON) if proof is proofs[0] else most)

        def over(end: float = end) -> bool:
            return time.perf_counter() > end or (interrupted() and not before)

        accepted, why = None, ""
        try:
            if not over():
                accepted, why = verdict(proof, task, over)
        except (KeyboardInterrupt, MemoryError):
            break  # it is not checked
        except Exception as error:
            why = f"the check of a certificate broke: {described(error)}"
            raise InternalError(why, unproven(found)) from error
        if accepted is False:
            raise InternalError(
                f"the checker refuses the certificate of {found.bound_method}: {why}",
                unproven(found),
            )
        if accepted and (kept is None or proof.bound > kept.bound):
            kept = proof
    if kept is None and found.certificate.bound <= 0:  # which says nothing
        return replace(found, certificate=None, spares=())
    return replace(
        found,
        certificate=kept or found.certificate,
        certificate_checked=kept is not None,
        accepted=None,
        spares=(),
    )


def verdict(
    proof: Certificate, task: Task, over: Callable[[], bool]
) -> tuple[bool | None, str]:
    """Return whether the checker accepts a certificate, and why not."""
    # Only proofs need them.
    from starmin.instances.runs.places import places
    from starmin.verify.certificates.certificate_check import check_certificate

    options = task.options
    with (
        limited_to(own_cores(options)),
        places(options.get("executor"), options.get("workers")) as where,
    ):
        told = check_certificate(
            proof,
            task.table,
            task.requirement,
            task.objective,
            task.problem.bounded,
            where=where,
            over=over,
        )
    return told.accepted, told.why or ""
