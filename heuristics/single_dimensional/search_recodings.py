"""The loop that the searches for the best recoding share."""

from starmin.heuristics.single_dimensional.recoding_metrics import Metric
from starmin.heuristics.single_dimensional.set_enumeration import SetEnumeration
from starmin.heuristics.single_dimensional.splits import Splits
from starmin.instances import Partition, Result, Run


def search_recodings(run: Run, metric: Metric, name: str | None = None) -> Result:
    """Search a run's table for the recoding that is best by a metric.

    The best recoding so far is published, whatever ended the search.

    Parameters
    ----------
    run
        Of the method.
    metric
        What a recoding is judged by.
    name
        What its value is called in ``stats``; default: it is the run's own value.
    """

    def search() -> None:
        splits = Splits(run.table, run.objective)
        tree = SetEnumeration(run.table, run.requirement, splits, metric)
        try:
            tree.run(run.check_time)
        finally:
            run.offer(Partition.from_labels(tree.groups))
            run.stats |= {
                "recoded": splits.recoded(tree.best),
                "splits": len(splits),
                "nodes": tree.nodes,
            }
            if name is not None:
                run.stats[name] = tree.value

    return run.carry_out(search)
