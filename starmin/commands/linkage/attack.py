"""starmin linkage attack and worst-case: what several releases reveal together."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from starmin.commands.linkage.distribution import FileOptions
from starmin.inputs import options
from starmin.inputs.declared import Listed, argument, option, pairs_of, usage
from starmin.inputs.hierarchy_options import column_and_tree
from starmin.inputs.loading import load_table
from starmin.inputs.option_groups import LinkedOptions, with_groups
from starmin.inputs.roles import Roles
from starmin.instances import Requirement, Table, TableError, write_table
from starmin.instances.io.atomic import make_folder
from starmin.instances.requirements.requirements import Asked, describe
from starmin.instances.requirements.t_closeness import HierarchicalCloseness, T
from starmin.instances.tables.names import split_names
from starmin.process.say import answer_in
from starmin.verify import linkage
from starmin.verify.linkage.monte_carlo import read_ancestors

ATTACK_EXAMPLES = (
    "starmin linkage worst-case --values 8 --l 4 --releases 2 --out worst",
    "starmin linkage attack worst/release1.csv worst/release2.csv --sensitive s",
)
WORST_EXAMPLES = ("starmin linkage worst-case --values 8 --l 6 --releases 2",)

_targets = partial(option, panel="Targets")


@with_groups
def attack_command(
    releases: Annotated[
        list[str], argument("RELEASE RELEASE..", "Two files or more, as published.")
    ],
    *,
    targets: Annotated[
        str | None,
        _targets(
            "TABLE", "People in all releases; default: whoever is published in full."
        ),
    ] = None,
    target: Annotated[
        str | None, _targets("COLUMN=VALUE,..", "One person in all releases."), Listed()
    ] = None,
    ranges: Annotated[
        str | None,
        _targets(
            "A,B,..",
            "Columns published as ranges (20-29, [20,30), <30) or sets ({a, b}).",
        ),
        Listed(),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        _targets(
            "COLUMN=FILE",
            "Column published as categories of a hierarchy (value;parent;..;root a "
            "line); for the sensitive column: the distance of --t.",
        ),
    ] = None,
    columns: FileOptions,
    star: options.Star = "*",
    asked: LinkedOptions,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Link releases: which sensitive values can people who are in all of them have?

    A person's classes are those whose cells may stand for what is known of the person.
    With a requirement, asks it of the values that are common to all releases.
    """
    roles = columns.roles
    tables = [load_table(release, roles) for release in releases]
    files = pairs_of(hierarchy or (), "--hierarchy", "COLUMN=FILE", column_and_tree)
    trees = {column: read_ancestors(Path(path)) for column, path in files.items()}
    matchings = _matchings(tables, trees, split_names(ranges or "", "--ranges"), star)
    people = _people(targets, target, roles)
    found = linkage.attack(tables, people, matchings)
    requirement = _required(Asked(vars(asked)), linkage.pooled(tables), trees)
    content: dict[str, Any] = {"releases": releases} | found.as_json()
    content["requirement"] = describe(requirement)
    failing = None
    if requirement is not None:
        failing = int(found.persons[found.failing(requirement)].sum())
    holds = None if failing is None else failing == 0
    content |= {"holds": holds, "failing": failing}
    answer_in(as_json, content, _lines(content))
    return int(content["holds"] is False)


def worst_case(
    values: Annotated[int, option("A", "Number of sensitive values there are.")],
    l: Annotated[int, option("--l", "Values in each class of each release.")],
    releases: Annotated[int, option("C", "Number of releases.")] = 2,
    out: Annotated[
        Path | None, option("FOLDER", "Where to write releases that reach it.")
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Count the values that linking leaves at worst, where each release shows l."""
    with usage():
        least = linkage.least_linked_diversity(values, l, releases)
    content = {"values": values, "l": l, "releases": releases, "least": least}
    written: list[str] = []
    if out is not None:
        make_folder(out, "--out")
        made = linkage.extremal_releases(values, l, releases)
        for i, table in enumerate(made, start=1):
            written.append(str(out / f"release{i}.csv"))
            write_table(table, written[-1])
    told = f"{least} = max(1, c l - (c - 1) a) values are left at worst"
    lines = [("least", told), *(("wrote", path) for path in written)]
    answer_in(as_json, content | {"out": written or None}, lines)
    return 0


def _matchings(
    tables: Sequence[Table],
    trees: dict[str, dict[str, tuple[str, ...]]],
    ranges: Sequence[str],
    star: str,
) -> dict[str, linkage.Matching]:
    """Say how the cells of each QI column stand for values."""
    known = {column for table in tables for column in table.qi}
    everywhere = known | {column for table in tables for column in table.sensitive}
    for named, columns in (("--ranges", ranges), ("--hierarchy", trees)):
        for column in columns:
            if column not in (everywhere if named == "--hierarchy" else known):
                raise TableError(f"{named}: {column!r} is not a quasi-identifier")
    return {
        column: linkage.Generalization(trees.get(column, {}), star)
        if column in trees or column in ranges
        else linkage.Suppression(star)
        for column in sorted(known)
    }


def _people(targets: str | None, target: str | None, roles: Roles) -> Table | None:
    if targets is not None and target is not None:
        raise TableError("--targets and --target exclude each other")
    if targets is not None:
        return load_table(targets, roles.reading)
    if target is None:
        return None
    names, cells = [], []
    for part in split_names(target, "--target"):
        column, equals, value = part.partition("=")
        if not equals:
            raise TableError(f"--target: expected COLUMN=VALUE, got {part!r}")
        names.append(column)
        cells.append(value)
    return Table.from_rows(names, [cells], names, name="--target")


def _required(
    asked: Asked, whole: Table, trees: dict[str, dict[str, tuple[str, ...]]]
) -> Requirement | None:
    """Return what is asked of linked values; t-closeness is to all releases."""
    (column,) = whole.sensitive
    if asked[T] is None or column not in trees:
        return asked.on(whole)
    with usage():
        closeness = HierarchicalCloseness.of(whole, asked[T], {column: trees[column]})
    return asked.but(t=None).on(whole, closeness)


def _lines(content: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was found, to be read by people."""
    before = zip(content["releases"], content["before"], strict=True)
    exposed = f"{content['exposed_total']:,} people, "
    exposed += f"{content['exposed_by_linking']:,} of them by linking only"
    people = f"{content['targets']:,} people, {content['absent']:,} not in all"
    lines = [
        ("targets", people),
        *(("before", f"{_spread(spread)} in {name}") for name, spread in before),
        ("after", f"{_spread(content['after'])} in all of them"),
        ("exposed", exposed),
    ]
    for person in content["exposed"]:
        cells = ", ".join(f"{c}={v}" for c, v in person["target"].items())
        lines.append(("reveals", f"{cells}: {person['value']}"))
    if content["holds"] is not None:
        word = "yes" if content["holds"] else f"no: {content['failing']:,} people"
        lines.append(("holds", word))
    return lines


def _spread(spread: dict[str, Any]) -> str:
    if spread["least"] is None:
        return "nobody"
    return f"at least {spread['least']} values, {spread['mean']:.2f} on average"
