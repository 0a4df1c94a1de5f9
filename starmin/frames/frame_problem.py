"""From the arguments of ``anonymize`` to a problem, checked."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from starmin.frames.frame_hierarchies import read_hierarchies
from starmin.frames.libraries.library_of import native_of
from starmin.frames.libraries.native import Native
from starmin.instances import (
    Coding,
    Population,
    Requirement,
    Table,
    TableError,
    from_frame,
    read_table,
)
from starmin.instances.arguments import (
    expect_choice,
    expect_kind,
    expect_names,
    nearest,
)
from starmin.instances.releases.coding import (
    GENERALIZATION,
    NONHOMOGENEOUS,
    SUPPRESSION,
    RecodingName,
)
from starmin.instances.requirements.requirements import Asked
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss
from starmin.instances.tables.table import as_sets

FRAME = "frame"  # what errors call the table of a frame


def table_of(
    native: Native,
    qi: Sequence[str] | None,
    sensitive: str | Sequence[str],
    drop: Collection[str] = (),
    other: Collection[str] = (),
    kept: Sequence[str] = (),
) -> Table:
    """Return the table of a frame, its columns in their roles.

    Columns that serve the requirement are no quasi-identifiers unless they are named;
    those that are kept as they are have to be there.
    """
    sensitive = (sensitive,) if isinstance(sensitive, str) else sensitive
    drop = expect_names("drop", drop)
    table = from_frame(native.frame, qi, sensitive, drop, FRAME, kept)
    if qi is None and set(other) & set(table.qi):
        return table.with_roles(
            [c for c in table.qi if c not in other], table.sensitive
        )
    return table


def people_of(population: Any) -> Any:
    """Return the table of a frame of people; files and tables stay what they are."""
    if isinstance(population, str | Path | Table | Population):
        return population
    return from_frame(native_of(population).frame, None, (), [], "population")


def earlier_of(earlier: Any, qi: Sequence[str]) -> Table:
    """Return the table of an earlier release: a frame, a table, or a recipe's file."""
    if isinstance(earlier, Path):
        return read_table(earlier, qi)
    if isinstance(earlier, Table):
        return earlier.with_roles(qi)
    return from_frame(native_of(earlier).frame, qi, (), [], "within")


def reading_sets(native: Native, table: Table, sets: Mapping[str, str]) -> Table:
    """Return a table whose cells are read as sets; the frame has their texts, too.

    Columns are replaced in the frame ``native``, which is that of the table; ``sets``
    has by column what separates the parts of a cell.
    """
    read = as_sets(table, sets, "sets")
    for column in sets:
        if read.dictionary(column) != table.dictionary(column):
            put = native.put_text
            if native.is_category(column):
                put, read = native.put_categories, read.used()
            put(column, read.column(column), read.dictionary(column))
    return read


def check_told(coding: Coding, table: Table) -> None:
    """Raise where a column is told of that is not there, or to no purpose."""
    for column in coding.trees:
        if column not in table.qi + table.sensitive:
            raise TableError(
                "hierarchies: no quasi-identifier or sensitive column "
                f"{column!r}"
                f"{nearest(column, table.qi + table.sensitive)}"
            )
    if coding.recoding in (GENERALIZATION, NONHOMOGENEOUS):
        return
    for what, columns in (
        ("numeric", coding.numeric),
        ("hierarchies", coding.qi_trees(table)),
    ):
        if set(columns) - set(coding.floors.min_levels):
            raise ValueError(
                f"{what} of quasi-identifiers is for recoding='generalization', got "
                f"{coding.recoding!r}."
            )


def required(asked: Asked, further: Requirement | None, table: Table) -> Requirement:
    """Return what is asked, and a further requirement, as one."""
    expect_kind("requirement", further, (Requirement, type(None)))
    requirement = asked.on(table, further)
    if requirement is None:
        raise ValueError("Expected a requirement: k, l or another one.")
    return requirement


def exact_losses(loss: Loss | Mapping[str, Mapping[str, float]] | None) -> Loss | None:
    """Return losses of nodes as fractions, as their decimals say; a rule as it is."""
    if not isinstance(loss, Mapping):
        return loss
    return {
        column: {node: Fraction(str(share)) for node, share in shares.items()}
        for column, shares in loss.items()
    }


def coding_of(
    frame: Any,
    table: Table,
    recoding: RecodingName | None,
    numeric: Collection[str] | None,
    hierarchies: Any,
    **further: Any,
) -> Coding:
    """Return how releases are coded, by default as what is told of columns implies.

    The recoding is ``suppression`` (stars), ``generalization`` (ranges and nodes of
    hierarchies), ``permutation`` (sensitive values apart) or ``nonhomogeneous`` (stars
    for each row by itself); by default generalization where ``numeric`` or
    ``hierarchies`` are given, else suppression. ``numeric`` are columns of numbers or
    times that are generalized to ranges; by default, for generalization, those of such
    types in the frame that have no hierarchy, and none where ``frame`` is None.

    ``hierarchies`` has by column a Taxonomy, a file in ARX's form, a nested dict or a
    frame of levels; or it is a folder of files. ``further`` is more of what ``Coding``
    holds.
    """
    missing = further.get("missing", MISSING)
    columns = table.qi + table.sensitive
    if hierarchies is None:
        trees = {}
    else:
        trees = read_hierarchies(hierarchies, table, columns, missing)
    if recoding is None:
        told = numeric or any(column in table.qi for column in trees)
        recoding = GENERALIZATION if told else SUPPRESSION
    expect_choice("recoding", recoding, get_args(RecodingName))
    if numeric is None:
        ranged = recoding == GENERALIZATION and frame is not None
        numbers = _numbers_of(frame, table) if ranged else []
        numeric = [column for column in numbers if column not in trees]
    numeric = expect_names("numeric", numeric)
    return Coding(recoding, numeric=numeric, trees=trees, **further)


def columns_of(frame: Any) -> list[str]:
    """Return the names of the columns of a frame."""
    import narwhals as nw

    return list(nw.from_native(native_of(frame).frame, eager_only=True).columns)


def _numbers_of(frame: Any, table: Table) -> list[str]:
    """Return the QI columns of a frame that are of numbers or times."""
    import narwhals as nw

    schema = nw.from_native(frame, eager_only=True).schema
    kinds = {column: schema[column] for column in table.qi}
    return [c for c, kind in kinds.items() if kind.is_numeric() or kind.is_temporal()]
