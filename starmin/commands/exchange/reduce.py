"""starmin reduce: the table of a hard problem."""

import math
from pathlib import Path
from typing import Annotated, Any, Literal

from starmin.inputs import options
from starmin.inputs.declared import argument, option
from starmin.inputs.roles import separator
from starmin.instances import TableError, least_diversity, least_size, write_table
from starmin.instances.requirements.requirements import describe
from starmin.outputs.files import Outputs
from starmin.process import clock
from starmin.process.say import answer_in
from starmin.verify import reductions

EXAMPLES = (
    "starmin reduce vertex-cover graph:petersen --out petersen.csv",
    "starmin reduce edge-partition graph:k33 --out k33.csv --json",
)

_NAMED = "graph:"

ReductionName = Literal["3dm", "kdm", "vertex-cover", "edge-partition"]

Name = Annotated[
    ReductionName,
    argument(
        "REDUCTION",
        "What to reduce: 3- or k-dimensional matching to l-diversity, vertex "
        "cover of a cubic graph to 7-anonymity, edge partition into triangles and "
        "4-stars to binary 3-anonymity.",
    ),
]
Input = Annotated[
    str,
    argument(
        "INPUT",
        "A graph: edge list (two names a line), DIMACS (.dimacs, .col, .clq, "
        ".gr), graph6 (.g6, .graph6), or graph:NAME, a named cubic graph. Points: "
        "CSV, a column for each coordinate.",
    ),
]
Values = Annotated[
    int | None,
    option(
        "M",
        "Matchings: number of sensitive values; default: the fewest, l.",
        "Question",
    ),
]
Size = Annotated[
    int | None,
    option(
        "T",
        "Vertex cover: is there one of T vertices? Default: the least T.",
        "Question",
        min=0,
    ),
]


def reduce(
    reduction: Name,
    source: Input,
    out: Annotated[
        Path, option("TABLE", f"Where to write the table: {options.WRITABLE}.")
    ],
    values: Values = None,
    size: Size = None,
    sep: options.Sep = None,
    time_limit: options.TimeLimit = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Build the table of a reduction and state its threshold.

    The answer to the question is yes if and only if some release of the table has at
    most as many stars as the threshold. lift maps a release back.
    """
    Outputs(out=out).check(source)
    if values is not None and reduction not in ("3dm", "kdm"):
        raise TableError("--values is for 3dm and kdm")
    if size is not None and reduction != "vertex-cover":
        raise TableError("--size is for vertex-cover")
    if reduction == "vertex-cover":
        reduced, threshold, facts = _vertex_cover(source, size, time_limit)
    else:
        if reduction == "edge-partition":
            graph = read_source_graph(source)
            reduced = reductions.EdgePartition().apply(graph)
            facts = {"vertices": graph.size, "edges": len(graph.edges)}
        else:
            points = read_matching(source, reduction)
            reduced = matching_reduction(points, values).apply(points)
            facts = {
                "dimension": points.dimension,
                "domain_size": points.size,
                "points": len(points.points),
                "sensitive_values": values or points.dimension,
            }
        threshold = reduced.threshold
    write_table(reduced.table, out, separator(sep))
    content = {
        "table": str(out),
        "n": reduced.table.n,
        "d": reduced.table.d,
        "requirement": describe(reduced.requirement),
        "threshold": threshold,
        "source": {"reduction": reduction, "file": source} | facts,
    }
    answer_in(as_json, content, _lines(content, reduced))
    return 0


def read_source_graph(source: str) -> reductions.Graph:
    """Read the graph of a file, or ``graph:NAME``.

    >>> read_source_graph("graph:petersen").size
    10
    """
    if source.startswith(_NAMED):
        return reductions.named_cubic_graph(source.removeprefix(_NAMED))
    return reductions.read_graph(source)


def read_matching(source: str, reduction: str) -> reductions.PointSet:
    """Read the points of ``3dm`` (three coordinates) or ``kdm`` (two or more)."""
    return reductions.read_points(source, 3 if reduction == "3dm" else None)


def matching_reduction(
    points: reductions.PointSet, values: int | None
) -> reductions.DimensionalMatching:
    """Return the reduction with so many sensitive values; None: the fewest."""
    most = points.dimension * points.size
    if values is not None and not points.dimension <= values <= most:
        raise TableError(
            f"--values: expected {points.dimension} .. {most}, got {values}"
        )
    return reductions.DimensionalMatching(values)


def _vertex_cover(
    source: str, size: int | None, time_limit: float | None
) -> tuple[reductions.Reduced, int | None, dict[str, Any]]:
    """Make the reduction; its threshold is None where no least cover was proven."""
    graph = read_source_graph(source)
    reduced = reductions.VertexCover(0).apply(graph)
    if size is None:
        limit = math.inf if time_limit is None else time_limit
        cover = reductions.minimum_vertex_cover(
            graph, clock.left(limit, reduced.table.codes.size)
        )
        size = None if cover is None else len(cover)
    base = reductions.base_cost(graph)
    facts = {"vertices": graph.size, "edges": len(graph.edges), "base": base}
    threshold = None if size is None else base + size
    return reduced, threshold, facts | {"cover": size}


def _lines(
    content: dict[str, Any], reduced: reductions.Reduced
) -> list[tuple[str, str]]:
    """Label and text, to be read by people."""
    asked = f"--k {least_size(reduced.requirement)}"
    if (l := least_diversity(reduced.requirement)) > 1:
        asked = f"--l {l} --sensitive {reduced.table.sensitive[0]}"
    source, threshold = content["source"], content["threshold"]
    meaning = "at most so many stars: the answer is yes"
    if source.get("cover") is not None:
        meaning = f"{source['base']:,} + {source['cover']}"
    known = "unknown: no least cover was proven in time"
    if threshold is not None:
        known = f"{threshold:,} ({meaning})"
    table = content["table"]
    return [
        ("wrote", f"{table}: {content['n']:,} rows, {content['d']} quasi-identifiers"),
        ("threshold", known),
        ("solve by", f"starmin solve {table} {asked}"),
    ]
