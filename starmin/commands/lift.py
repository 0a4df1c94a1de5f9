"""starmin lift: from a release of a reduction's table back to the hard problem."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from instances import Partition, Table, TableError, group_by, read_table
from instances.tables.plural import counted
from starmin.commands.reduce import Input, Name, read_matching, read_source_graph
from starmin.inputs import options
from starmin.inputs.loading import separator
from starmin.outputs.summary import show_lines
from verify.reductions import (
    DimensionalMatching,
    EdgePartition,
    Graph,
    PointSet,
    Reduced,
    VertexCover,
    base_cost,
    is_matching,
    is_packing,
    is_vertex_cover,
)
from verify.releases.release import check_release

EXAMPLES = (
    "starmin solve petersen.csv --k 7 --out petersen.k7.csv",
    "starmin lift vertex-cover graph:petersen petersen.k7.csv",
)

ReleaseArg = Annotated[
    Path,
    typer.Argument(
        metavar="RELEASE",
        help="A release of the table that reduce wrote, rows in its order.",
        show_default=False,
    ),
]


def lift(
    reduction: Name,
    source: Input,
    release: ReleaseArg,
    sep: options.Sep = None,
    star: options.Star = "*",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Map a release back: to a vertex cover, a matching, or parts of a graph.

    Any valid release will do. A cover has at most as many vertices as the release has
    stars beyond the base cost; a release at the threshold gives a perfect matching or
    a whole partition.
    """
    sep = separator(sep)
    if reduction == "vertex-cover":
        content = _lift_cover(read_source_graph(source), release, sep, star)
    elif reduction == "edge-partition":
        content = _lift_parts(read_source_graph(source), release, sep, star)
    else:
        points = read_matching(source, reduction)
        content = _lift_matching(points, release, sep, star)
    if as_json:
        print(json.dumps(content))
    else:
        show_lines(_lines(content))
    return int(not content["valid"])


def _lift_cover(graph: Graph, path: Path, sep: str | None, star: str) -> dict[str, Any]:
    reduced = VertexCover(0).apply(graph)
    partition, why = _partition(reduced, read_table(path, sep=sep), path, star)
    if partition is None:
        return _refused(why)
    cover = VertexCover().lift(graph, partition)
    names = [graph.vertices[u] for u in sorted(cover)]
    stars = reduced.stars(partition)
    promise = f"at most {stars - base_cost(graph)}"
    return _found(names, is_vertex_cover(graph, cover), stars, promise)


def _lift_parts(graph: Graph, path: Path, sep: str | None, star: str) -> dict[str, Any]:
    reduced = EdgePartition().apply(graph)
    partition, why = _partition(reduced, read_table(path, sep=sep), path, star)
    if partition is None:
        return _refused(why)
    parts = EdgePartition().lift(graph, partition)
    names = [
        [[graph.vertices[v] for v in graph.edges[edge]] for edge in part]
        for part in parts
    ]
    stars = reduced.stars(partition)
    promise = f"at least {max(0, -(-(4 * len(graph.edges) - stars) // 3))}"
    return _found(names, is_packing(graph, parts), stars, promise)


def _lift_matching(
    points: PointSet, path: Path, sep: str | None, star: str
) -> dict[str, Any]:
    released = read_table(path, sep=sep)
    # The release itself tells how many sensitive values its table had.
    most = points.dimension * points.size
    m = min(max(len(set(released.cells(released.names[-1]))), points.dimension), most)
    reduction = DimensionalMatching(m)
    reduced = reduction.apply(points)
    partition, why = _partition(reduced, released, path, star)
    if partition is None:
        return _refused(why)
    chosen = reduction.lift(points, partition)
    names = [
        [domain[c] for domain, c in zip(points.domains, points.points[i], strict=True)]
        for i in sorted(chosen)
    ]
    stars, l = reduced.stars(partition), points.dimension
    promise = f"exactly {points.size * reduced.table.d - stars // l}"
    return _found(names, is_matching(points, chosen), stars, promise)


def _partition(
    reduced: Reduced, released: Table, path: Path, star: str
) -> tuple[Partition | None, str]:
    """Return the classes of a release, or None and why they are not valid.

    Raises
    ------
    TableError
        It is not a release of this table.
    """
    table = reduced.table
    if released.names != table.names:
        raise TableError(
            f"{path}: its columns are {_some(released.names)}, those of this input's "
            f"table are {_some(table.names)}"
        )
    released = released.with_roles(table.qi, table.sensitive)
    check = check_release(released, reduced.requirement, table, star)
    if check.inconsistencies:
        difference = check.inconsistencies[0]
        rows = ", ".join(map(str, difference.rows))
        where = f" (rows {rows})" if rows else ""
        raise TableError(
            f"{path}: not a release of this input: {difference.why}{where}"
        )
    if not check.holds:
        violation = check.violations[0]
        return None, f"class {violation.group}: {violation.why}"
    columns = [released.column(c) for c in released.qi]
    return Partition(group_by(columns, released.qi_cardinalities).inverse), ""


def _found(
    solution: Sequence[Any], valid: bool, stars: int, promise: str
) -> dict[str, Any]:
    return {
        "solution": solution,
        "size": len(solution),
        "valid": valid,
        "stars": stars,
        "promise": promise,
        "reason": None,
    }


def _refused(why: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("solution", "size", "stars", "promise"))
    return nothing | {"valid": False, "reason": why}


def _lines(content: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text, to be read by people."""
    if content["reason"] is not None:
        return [("valid", "no"), ("reason", content["reason"])]
    lines = [
        ("release", counted(content["stars"], "star")),
        ("size", f"{content['size']:,} (the release promises {content['promise']})"),
        ("valid", "yes" if content["valid"] else "no"),
    ]
    return [*lines, *(("", _text(part)) for part in content["solution"])]


def _text(part: Any) -> str:
    return part if isinstance(part, str) else " ".join(map(_text, part))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", .." if len(names) > 5 else "")
