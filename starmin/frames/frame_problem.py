"""Make a problem, checked, of the arguments of ``anonymize``.

Hierarchies are taken as people have them in Python: files, nested dicts, frames of
levels.
"""

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from starmin.call_arguments import objective_of, warn
from starmin.defences.defences import Defences
from starmin.frames.data_frames import native_of
from starmin.frames.native import Native
from starmin.inputs.declared import DEFENCES
from starmin.inputs.earlier_releases import nested_in
from starmin.inputs.hierarchy_options import (
    column_and_tree,
    find_files,
    is_file,
    is_several,
    rules_of,
)
from starmin.inputs.loading import named_table
from starmin.inputs.option_groups import limits_of
from starmin.instances import (
    Coding,
    Population,
    Problem,
    Requirement,
    Table,
    TableError,
    Taxonomy,
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
from starmin.instances.requirements.requirement import Stated
from starmin.instances.requirements.requirements import Asked
from starmin.instances.requirements.requirements import options as declared
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss
from starmin.instances.scales.taxonomies.column_hierarchy import (
    RULE_NAMES,
    Hierarchy,
    hierarchy_rule,
    is_rule,
    needs_values,
    tree_of_column,
)
from starmin.instances.scales.taxonomies.hierarchy_rules import HierarchyRule
from starmin.instances.scales.taxonomies.taxonomy import ROOT
from starmin.instances.tables.names import listed
from starmin.instances.tables.table import as_sets
from starmin.outputs.recodings import RECODINGS

# Hierarchies as people have them in Python: files, nested dicts, frames of levels.


def read_hierarchies(
    given: Any,
    table: Table,
    columns: Iterable[str],
    missing: Collection[str | None] = MISSING,
) -> dict[str, Taxonomy]:
    """Return the taxonomies of columns, in whatever form they are given.

    ``given`` has by column a Taxonomy, a file in ARX's form, a nested dict, or a frame
    with a row for each value: the value and the nodes above it, root last; or a rule,
    or its text, as ``prefix:3,1``. Or it is, for all columns, a folder of files, a
    pattern with ``{column}``, or a file of rules. The table has the values; ``columns``
    are those that may have a taxonomy; ``missing`` stands for a missing value.

    Raises TableError for a file that cannot be read, or what is no tree, and TypeError
    for another form.

    Examples
    --------
    >>> given = {"pet": {"tame": ["cat", "dog"], "rat": None}, "zip": "prefix:2"}
    >>> table = Table.from_rows(["pet", "zip"], [["cat", "021"]], qi=["pet", "zip"])
    >>> found = read_hierarchies(given, table, table.qi)
    >>> found["pet"].paths
    [('cat', 'tame', '*'), ('dog', 'tame', '*'), ('rat', '*')]
    >>> found["zip"].paths
    [('021', '02*', '*')]
    """
    if given is None:
        return {}
    columns = list(columns)
    told: Mapping[str, Any]
    if isinstance(given, str | Path):
        path = Path(given)
        if is_several(str(given)):
            told = find_files(str(given), columns)
        elif path.is_file():
            told = dict(map(column_and_tree, rules_of(path)))
        else:
            raise TableError(
                f"hierarchies: {given} is no folder and no file of rules; name "
                "columns: {column: file}"
            )
    else:
        expect_kind("hierarchies", given, Mapping, " (a hierarchy by column)")
        told = given
    found: dict[str, Taxonomy] = {}
    for column, each in told.items():
        tree = _taxonomy(each, column)
        if column in columns and needs_values(tree):
            of_rule = isinstance(tree, HierarchyRule)
            tree = tree_of_column(tree, table, column, missing)
            warn(tree.told if of_rule else ())
        elif not isinstance(tree, Taxonomy):
            raise TableError(
                "hierarchies: no quasi-identifier or sensitive column "
                f"{column!r}{nearest(column, columns)}; these are: {listed([*columns])}"
            )
        found[column] = tree
    return found


def _taxonomy(tree: Any, column: str) -> Hierarchy:
    name = f"the hierarchy of {column}"
    if isinstance(tree, Taxonomy | HierarchyRule):
        return tree
    if isinstance(tree, str) and tree.startswith("{"):
        return Taxonomy.parse(tree, name)
    if isinstance(tree, str) and is_rule(tree) and not is_file(tree):
        return hierarchy_rule(tree)
    if isinstance(tree, list | tuple) and tree:  # widths of ranges, each above the last
        return hierarchy_rule(f"ranges:{','.join(map(str, tree))}")
    if isinstance(tree, str) and ":" in tree and not is_file(tree):
        raise TableError(
            f"hierarchies: {column}: {tree!r} is neither a file nor a rule"
            f"{nearest(tree.partition(':')[0], RULE_NAMES)}; rules are "
            f"{', '.join(RULE_NAMES)}, as ranges:5,10"
        )
    if isinstance(tree, str | Path):
        return _read(tree)
    if isinstance(tree, Mapping):
        return Taxonomy(list(nested_paths(tree)), name)
    if not hasattr(tree, "columns"):
        raise TypeError(
            f"Expected {name} to be a Taxonomy, a file, a rule, a nested dict, a list "
            f"of widths or a frame of levels, got one of type {type(tree).__name__}."
        )
    rows = from_frame(tree, name=name).rows()
    for number, row in enumerate(rows, start=1):
        if None in row[1:] or "" in row[1:]:
            raise TableError(f"{name}: row {number}: a missing node; name it")
    return Taxonomy([(row[0] or "", *map(str, row[1:])) for row in rows], name)


def _read(path: Path | str) -> Taxonomy:
    """Read a file, and warn of what was guessed of it."""
    tree = Taxonomy.read(path)
    for line in tree.told:
        warnings.warn(line, stacklevel=2)
    return tree


def nested_paths(tree: Mapping[Any, Any]) -> Iterator[tuple[str, ...]]:
    """Return the paths, leaf first, of a nested dict.

    A key is a node, what it holds is below it: a dict, a list of leaves, or nothing,
    which makes it a leaf. A single key that holds something is the root; else there is
    a root ``*`` above all.

    Examples
    --------
    >>> list(nested_paths({"any": {"pet": [1, 2]}}))
    [('1', 'pet', 'any'), ('2', 'pet', 'any')]
    """
    single = len(tree) == 1 and any(tree.values())
    return _below(tree, () if single else (ROOT,))


def _below(tree: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not isinstance(tree, Mapping):
        for leaf in [tree] if isinstance(tree, str) else tree:
            yield (str(leaf), *above)
        return
    for node, content in tree.items():
        path = (str(node), *above)
        if content is None or (not isinstance(content, str) and len(content) == 0):
            yield path
        else:
            yield from _below(content, path)


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
                f"{column!r}{nearest(column, table.qi + table.sensitive)}; these are: "
                f"{listed(table.qi + table.sensitive)}"
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


# From a table and the arguments of ``anonymize`` to a problem.

STATED = tuple(option.name for option in declared())
LIMITS = tuple(limits_of.__annotations__.keys() - {"return"})


@dataclass(frozen=True)
class Posed:
    """What is asked of a table."""

    problem: Problem  # with the table as floors leave it
    coding: Coding
    losses: Loss | None  # of nodes, where they have some of their own
    defences: Defences | None  # what is hidden in addition; None: nothing


def serving_columns(told: Mapping[str, Any]) -> list[str]:
    """Return the columns that arguments name for other ends than protection.

    Examples
    --------
    >>> serving_columns({"k_column": "size", "person": "id", "weight": "w"})
    ['size', 'id', 'w']
    """
    names = [told.get("k_column"), told.get("household") or told.get("person")]
    names += [*expect_names("strata", told.get("strata"))]
    names += [*expect_names("unchanged", told.get("unchanged"))]
    return [name for name in (*names, told.get("weight")) if name is not None]


def limits_told(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what arguments tell of columns, as ``Coding`` holds it."""
    return limits_of(**{name: told[name] for name in LIMITS if name in told})


def pose(table: Table, frame: Any, told: Mapping[str, Any]) -> Posed:
    """Return the problem that arguments of ``anonymize`` state.

    The table has its columns in their roles, cells of sets read. Columns of numbers of
    the frame are ranged by default; None: no column is. ``told`` are the arguments that
    were given, by name.

    Examples
    --------
    >>> table = Table.from_rows(["age"], [["30"], ["41"]], qi=["age"])
    >>> posed = pose(table, None, {"k": 2, "numeric": ["age"]})
    >>> posed.problem.objective.kind, posed.coding.recoding
    ('gcp', 'generalization')
    """
    expect_kind("pseudonym", told.get("pseudonym", False), bool)
    ranged = told.get("recoding"), told.get("numeric"), told.get("hierarchies")
    star = told.get("star", "*")
    coding = coding_of(frame, table, *ranged, star=star, **limits_told(told))
    stated = {name: told[name] for name in STATED if name in told}
    defences = None
    if Stated(told).asks(DEFENCES):
        pad, margin, decoys = (told.get(option.name, 0) for option in DEFENCES)
        defences = Defences(pad or False, margin, decoys, told.get("l"), python=True)
        if margin:
            stated["l"] = defences.solved
    if (population := told.get("population")) is not None:
        stated["population"] = people_of(population)
    asked = Asked(stated, coding.trees, coding.missing, True, named_table)
    check_told(coding, table)
    losses = exact_losses(told.get("loss"))
    before, table = table, coding.floored(table)
    costs = losses, told.get("weights"), told.get("keep", ())
    problem = Problem(
        table,
        required(asked, told.get("requirement"), table),
        objective_of(told.get("objective"), table, coding, *costs),
        coding,
        before,
    )
    RECODINGS[coding.recoding or SUPPRESSION].expect(table, coding)
    if (within := told.get("within")) is not None:
        solution = getattr(within, "solution", None)  # of an Anonymization
        earlier = within if solution is None else solution.published
        problem = nested_in(problem, earlier_of(earlier, table.qi))
    return Posed(problem, coding, losses, defences)
