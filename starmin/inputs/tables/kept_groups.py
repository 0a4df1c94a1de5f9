"""Groups that were kept, read to be published again."""

from dataclasses import replace
from pathlib import Path

from starmin.instances import Partition, Problem, Result, Run, TableError, read_table
from starmin.instances.requirements.requirement import MASK

METHOD = "replay"  # what results of kept groups name as their method


def replayed(path: Path, problem: Problem) -> Result:
    r"""Return kept groups as the release of a problem, checked and counted anew.

    ``path`` is a file that ``--groups`` wrote: for each row of the table its group.
    Raises TableError where it is no such file, is of another table, or violates what is
    asked now.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from starmin.instances import KAnonymity, Table
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["0"]], qi=["a"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "groups.csv")
    ...     _ = path.write_text("group\n1\n1\n1\n")
    ...     replayed(path, Problem(table, KAnonymity(2))).value
    3
    """
    table = problem.table
    if problem.rowwise or problem.requirement.space == MASK:
        raise TableError(f"--replay: {path}: a release of this kind has no groups")
    kept = read_table(path)
    if kept.names != ("group",):
        raise TableError(
            f"--replay: {path}: expected one column `group`, as --groups writes it, "
            f"got {', '.join(kept.names)}"
        )
    if kept.n != table.n:
        raise TableError(
            f"--replay: {path} has {kept.n:,} rows, {table.name} has {table.n:,}; "
            "groups are of one table, its rows in one order"
        )
    run = Run(table, problem.requirement, problem.objective)
    if (found := run.infeasible()) is None:
        release = Partition.from_labels(kept.column("group"))
        try:
            run.offer(release)
        except ValueError as error:
            why = str(error).removeprefix("Expected a valid release, but ")
            raise TableError(f"--replay: {path}: {why}") from None
        found = run.result()
    return replace(found, stats={**found.stats, "method": METHOD})
