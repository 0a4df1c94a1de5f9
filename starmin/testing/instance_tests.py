"""Tests of an instance: the same table each time; of a reduction: its proof."""

from starmin.instances import why_infeasible
from starmin.instances.catalogue.catalogue import Instance
from starmin.verify.reductions.hard_instances import HardInstance


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

    Raises
    ------
    AssertionError
        It is wrong, and where.

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
    verdict = question.reduction.check(question.source, optimum=found.value)
    assert verdict.holds, verdict.failed
