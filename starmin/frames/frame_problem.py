"""Make a problem, checked, of a table or frame and what is asked of it in Python.

Hierarchies are taken as people have them in Python: files, nested dicts, frames of
levels.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from starmin.call_arguments import AnonymizeWords, FirstWords, warn
from starmin.defences.defences import Defences
from starmin.frames.data_frames import native_of
from starmin.frames.native import Native
from starmin.inputs import hierarchy_options
from starmin.inputs.declared import DEFENCES
from starmin.inputs.earlier_releases import nested_problem
from starmin.inputs.loading import named_table
from starmin.inputs.option_groups import python_words
from starmin.inputs.recoding_options import expect_plain, limits_of
from starmin.inputs.spec import default_objective, posed
from starmin.instances import (
    Coding,
    Objective,
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
    PERMUTATION,
    SUPPRESSION,
    RecodingName,
)
from starmin.instances.requirements.requirement import Stated
from starmin.instances.requirements.requirements import Asked
from starmin.instances.requirements.requirements import options as declared
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss
from starmin.instances.scales.taxonomies import column_hierarchy
from starmin.instances.scales.taxonomies.column_hierarchy import Hierarchy
from starmin.instances.scales.taxonomies.hierarchy_rules import HierarchyRule
from starmin.instances.scales.taxonomies.taxonomy import ROOT
from starmin.instances.tables.names import listed
from starmin.instances.tables.table import as_sets
from starmin.recipes.by_recipe import expect_columns
from starmin.recipes.recipe import keywords_of
from starmin.solving import Solution

# Hierarchies as people have them in Python: files, nested dicts, frames of levels.


def read_hierarchies(
    given: Any,
    table: Table,
    columns: Iterable[str],
    missing: Collection[str | None] = MISSING,
    released: str | None = None,
) -> dict[str, Taxonomy]:
    """Return the taxonomies of columns, in whatever form they are given.

    ``given`` has by column a Taxonomy, a file in ARX's form, a nested dict, or a frame
    with a row for each value: the value and the nodes above it, root last; or a rule,
    or its text, as ``prefix:3,1``. Or it is, for all columns, a folder of files, a
    pattern with ``{column}``, or a file of rules. The table has the values; ``columns``
    are those that may have a taxonomy; ``missing`` stands for a missing value.
    ``released`` is, of a release without its original, the symbol of a suppressed cell.

    Raises TableError for a file that cannot be read, or what is no tree, and TypeError
    for another form.

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
        if hierarchy_options.is_several(str(given)):
            told = hierarchy_options.find_files(str(given), columns)
        elif path.is_file():
            told = dict(
                map(hierarchy_options.column_and_tree, hierarchy_options.rules_of(path))
            )
        else:
            raise TableError(
                f"hierarchy: {given} is no folder and no file of rules; name "
                "columns: {column: file}"
            )
    else:
        expect_kind("hierarchy", given, Mapping, " (a hierarchy by column)")
        told = given
    found: dict[str, Taxonomy] = {}
    for column, each in told.items():
        tree = _taxonomy(each, column)
        if column in columns and column_hierarchy.needs_values(tree):
            of_rule = isinstance(tree, HierarchyRule)
            tree = column_hierarchy.tree_of_column(
                tree, table, column, missing, released
            )
            warn(tree.told if of_rule else ())
        elif not isinstance(tree, Taxonomy):
            raise TableError(
                f"hierarchy: no quasi-identifier or sensitive column {column!r}"
                f"{nearest(column, columns)}; these are: {listed([*columns])}"
            )
        found[column] = tree
    return found


def _taxonomy(tree: Any, column: str) -> Hierarchy:
    name = f"the hierarchy of {column}"
    if isinstance(tree, Taxonomy | HierarchyRule):
        return tree
    if isinstance(tree, str) and tree.startswith("{"):
        return Taxonomy.parse(tree, name)
    if (
        isinstance(tree, str)
        and column_hierarchy.is_rule(tree)
        and not hierarchy_options.is_file(tree)
    ):
        return column_hierarchy.hierarchy_rule(tree)
    if isinstance(tree, list | tuple) and tree:  # widths of ranges, each above the last
        return column_hierarchy.hierarchy_rule(f"ranges:{','.join(map(str, tree))}")
    if isinstance(tree, str) and ":" in tree and not hierarchy_options.is_file(tree):
        rules = column_hierarchy.RULE_NAMES
        raise TableError(
            f"hierarchy: {column}: {tree!r} is neither a file nor a rule"
            f"{nearest(tree.partition(':')[0], rules)}; rules are {', '.join(rules)}, "
            "as ranges:5,10"
        )
    if isinstance(tree, str | Path):
        read = Taxonomy.read(tree)
        warn(read.told)  # what was guessed of the file
        return read
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


def nested_paths(tree: Mapping[Any, Any]) -> Iterator[tuple[str, ...]]:
    """Return the paths, leaf first, of a nested dict.

    A key is a node, what it holds is below it: a dict, a list of leaves, or nothing,
    which makes it a leaf. A single key that holds something is the root; else there is
    a root ``*`` above all.

    >>> list(nested_paths({"any": {"pet": [1, 2]}}))
    [('1', 'pet', 'any'), ('2', 'pet', 'any')]
    """
    single = len(tree) == 1 and any(tree.values())
    return _below(tree, () if single else (ROOT,))


def _below(tree: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not isinstance(tree, Mapping):
        leaves = [tree] if isinstance(tree, str) else tree
        yield from ((str(leaf), *above) for leaf in leaves)
        return
    for node, content in tree.items():
        path = (str(node), *above)
        if content is None or (not isinstance(content, str) and len(content) == 0):
            yield path
        else:
            yield from _below(content, path)


# The columns of a table or frame, in the roles that arguments name.

FRAME = "frame"  # what errors call the table of a frame


def serving_columns(told: Mapping[str, Any]) -> list[str]:
    """Return the columns that arguments name for other ends than protection.

    >>> serving_columns({"k_column": "size", "person": "id", "weight": "w"})
    ['size', 'id', 'w']
    """
    names = [told.get("k_column"), told.get("household") or told.get("person")]
    names += [*expect_names("strata", told.get("strata"))]
    names += [*expect_names("unchanged", told.get("unchanged"))]
    return [name for name in (*names, told.get("weight")) if name is not None]


def in_roles(
    given: Any, told: Mapping[str, Any], what: str = FRAME
) -> tuple[Native | None, Table]:
    """Return a frame, and its table with the columns in their roles.

    The frame is None where a table was given, whose own roles hold where no argument
    says otherwise. Columns that serve the requirement are no quasi-identifiers unless
    they are named. Errors call the table of a frame ``what``.
    """
    native = None if isinstance(given, Table) else native_of(given, what)
    there = given.names if native is None else columns_of(native.frame)
    serving, secret = serving_columns(told), told.get("sensitive")
    secret = (secret,) if isinstance(secret, str) else secret
    ids = told.get("household") or told.get("person")
    drop = [c for c in expect_names("drop", told.get("drop")) if c != ids]
    if (recipe := told.get("recipe")) is not None:
        named = *(told.get("qi") or ()), *drop, *serving, *(secret or ())
        named += given.sensitive if native is None else ()
        expect_columns(what, there, Path(recipe), named)
    kept = expect_names("unchanged", told.get("unchanged"))
    if native is not None:
        qi, secret = told.get("qi"), expect_names("sensitive", secret)
        table = from_frame(native.frame, qi, secret, drop, what, kept)
    else:
        if recipe is not None:
            drop = [c for c in drop if c in there]
        table = given.drop(drop) if drop else given
        if secret is None:
            secret = table.sensitive
        secret = expect_names("sensitive", secret)
        qi = None if told.get("qi") is None else expect_names("qi", told["qi"])
        public = [c for c in table.qi if c not in secret] if qi is None else qi
        if (tuple(public), secret) != (table.qi, table.sensitive):
            table = table.with_roles(public, secret)
    left = [c for c in table.qi if c not in serving]
    if qi is None and left and len(left) < len(table.qi):
        table = table.with_roles(left, table.sensitive)
    return native, table


def columns_of(frame: Any) -> list[str]:
    """Return the names of the columns of a frame."""
    import narwhals as nw

    return list(nw.from_native(native_of(frame).frame, eager_only=True).columns)


def people_of(population: Any) -> Any:
    """Return the table of a frame of people; files and tables stay what they are."""
    if isinstance(population, str | Path | Table | Population):
        return population
    native = native_of(population, "population")
    return from_frame(native.frame, None, (), [], "population")


def earlier_of(earlier: Any, qi: Sequence[str]) -> Table:
    """Return the table of an earlier release.

    It is a frame, a table, what a call returned that made one, or a recipe's file.
    """
    found = getattr(earlier, "solution", earlier)  # of an Anonymization
    if isinstance(found, Solution):
        earlier = found.published
    if isinstance(earlier, Path):
        return read_table(earlier, qi)
    if isinstance(earlier, Table):
        return earlier.with_roles(qi)
    return from_frame(native_of(earlier, "within").frame, qi, (), [], "within")


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


def coded(
    native: Native | None, table: Table, told: Mapping[str, Any]
) -> tuple[Table, Coding]:
    """Return a table with its sets, and how releases of it are coded.

    By default that is as what is told of columns implies: by generalization where
    ``numeric`` or a ``hierarchy`` is given, else by suppression; and for generalization
    the columns of numbers or times of the frame have ranges that have no hierarchy.
    """
    limits = limits_of(told)
    if separators := limits["sets"]:
        if native is None:
            table = as_sets(table, separators, "sets")
        else:
            table = reading_sets(native, table, separators)
    columns, missing = table.qi + table.sensitive, limits["missing"]
    trees = read_hierarchies(told.get("hierarchy"), table, columns, missing)
    recoding, numeric = told.get("recoding"), told.get("numeric")
    if recoding is None:
        ranged = numeric or any(column in table.qi for column in trees)
        recoding = GENERALIZATION if ranged else SUPPRESSION
    expect_choice("recoding", recoding, get_args(RecodingName))
    if numeric is None and recoding == GENERALIZATION and native is not None:
        import narwhals as nw

        kinds = nw.from_native(native.frame, eager_only=True).schema
        numeric = [
            column
            for column in table.qi
            if kinds[column].is_numeric() or kinds[column].is_temporal()
            if column not in trees
        ]
    numeric = expect_names("numeric", numeric)
    expect_ranged(numeric, table)
    star = told.get("star", "*")
    return table, Coding(recoding, star, numeric, trees, **limits)


def expect_ranged(numeric: Collection[str], table: Table) -> None:
    """Raise TableError for a column with ranges that is no quasi-identifier."""
    for column in numeric:
        if column not in table.qi:
            raise TableError(
                f"numeric: no quasi-identifier {column!r}{nearest(column, table.qi)}; "
                f"these are: {', '.join(table.qi)}"
            )


# From a table or frame and what is asked of it to a problem.


@dataclass(frozen=True)
class Posed:
    """What is asked of a table or frame."""

    native: Native | None  # the frame; None: a table was given
    table: Table  # its columns in their roles, before floors
    told: Mapping[str, Any]  # the arguments, what a settings file tells among them
    asked: Asked  # what is required of groups, without what is no option
    problem: Problem
    losses: Loss | None  # of nodes, where they have some of their own
    defences: Defences | None  # what is hidden in addition; None: nothing


def pose(given: Any, told: Mapping[str, Any], what: str = FRAME) -> Posed:
    """Return the problem that arguments state of a table or frame.

    ``told`` are the arguments that were given, by name; a settings file, ``recipe``,
    tells the others. Errors call the table of a frame ``what``.

    >>> table = Table.from_rows(["age"], [["30"], ["41"]], qi=["age"])
    >>> posed = pose(table, {"k": 2, "numeric": ["age"]})
    >>> posed.problem.objective.kind, posed.problem.coding.recoding
    ('gcp', 'generalization')
    """
    expect_kind("pseudonym", told.get("pseudonym", False), bool)
    with python_words():
        told = told_by(told)
        native, table = in_roles(given, told, what)
        table, coding = coded(native, table, told)
        if coding.recoding == PERMUTATION:
            expect_plain(coding, table)
        stated, defences = stated_of(told), None
        if Stated(told).asks(DEFENCES):
            pad, margin, decoys = (told.get(option.name, 0) for option in DEFENCES)
            hidden = pad or False, margin, decoys
            defences = Defences(*hidden, told.get("l"), python=True)
            if margin:
                stated["l"] = defences.solved
        asked = Asked(stated, coding.trees, coding.missing, True, named_table)
        further, losses = told.get("requirement"), told.get("loss")
        if isinstance(losses, Mapping):  # as fractions, as their decimals say
            losses = {
                column: {node: Fraction(str(share)) for node, share in shares.items()}
                for column, shares in losses.items()
            }
        expect_kind("requirement", further, (Requirement, type(None)))
        goal = goal_of(told, coding, table)
        problem = posed(table, asked, coding, goal, losses, further)
        if (within := told.get("within")) is not None:
            problem = nested_problem(problem, earlier_of(within, problem.table.qi))
    told = {name: value for name, value in told.items() if name != "recipe"}
    return Posed(native, table, told, asked, problem, losses, defences)


def told_by(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments, and what their settings file tells where they say nothing."""
    if (recipe := given.get("recipe")) is None:
        return dict(given)
    known = {*FirstWords.__annotations__, *AnonymizeWords.__annotations__}
    return keywords_of(recipe, given, known)


def stated_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of requirements that arguments state."""
    stated = {o.name: told[o.name] for o in declared() if o.name in told}
    if (population := stated.get("population")) is not None:
        stated["population"] = people_of(population)
    return stated


def goal_of(told: Mapping[str, Any], coding: Coding, table: Table) -> Objective:
    """Return the objective that arguments name, or the usual one for a coding."""
    goal, weights, keep = told.get("objective"), told.get("weights"), told.get("keep")
    nodes = {*coding.qi_trees(table)} - {*coding.floors.min_levels}
    ranged = bool(coding.numeric or nodes)
    if not isinstance(goal, Objective):
        kind = goal or default_objective(coding.recoding, ranged)
        return Objective(kind, weights or {}, expect_names("keep", keep))
    if weights or keep:
        raise ValueError("weights and keep are parts of the Objective that is given.")
    if goal.scales and ranged:
        raise ValueError(
            "numeric and hierarchy are for the objective 'gcp' without scales of its "
            "own, got an objective with scales."
        )
    return goal
