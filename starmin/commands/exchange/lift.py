"""starmin lift: from a release, or a proof, back to the hard problem."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from starmin.commands.exchange import reduce
from starmin.inputs import options
from starmin.inputs.declared import argument, option
from starmin.inputs.roles import separator
from starmin.instances import Certificate, Partition, Table, TableError, read_table
from starmin.instances.runs.certificate import UnknownFormatError
from starmin.instances.tables.names import counted
from starmin.process.faults import UNKNOWN
from starmin.process.say import answer_in
from starmin.verify import reductions
from starmin.verify.exact import BeyondError
from starmin.verify.reductions.base import Decision, decide
from starmin.verify.releases.release_check import check_release

# The questions of reductions, and how their solutions are written.


@dataclass(frozen=True, eq=False)
class HardQuestion:
    """A question of a reduction, and how its solutions are written."""

    reduction: reductions.Reduction[Any, Any]
    source: Any
    names: Callable[[Any], list[Any]]  # a solution as text
    valid: Callable[[Any], bool]
    # what the size of a solution is that a release of so many stars gives
    promise: Callable[[int], str]
    limit: str  # words before a size that no solution is better than
    asked: bool = True  # whether there is a threshold: of a cover if its size is asked


def cover_question(graph: reductions.Graph, size: int | None) -> HardQuestion:
    """Ask for a vertex cover of so many vertices; None: for none in particular."""
    return HardQuestion(
        reductions.VertexCover(size or 0),
        graph,
        lambda cover: [graph.vertices[u] for u in sorted(cover)],
        lambda cover: reductions.is_vertex_cover(graph, cover),
        lambda stars: f"at most {stars - reductions.base_cost(graph)}",
        "at least",
        size is not None,
    )


def partition_question(graph: reductions.Graph) -> HardQuestion:
    """Ask for a partition of the edges into triangles and 4-stars."""
    return HardQuestion(
        reductions.EdgePartition(),
        graph,
        lambda parts: [
            [[graph.vertices[v] for v in graph.edges[edge]] for edge in part]
            for part in parts
        ],
        lambda parts: reductions.is_packing(graph, parts),
        lambda stars: f"at least {max(0, -(-(4 * len(graph.edges) - stars) // 3))}",
        "at most",
    )


def matching_question(
    points: reductions.PointSet, released: Table | None, m: int | None
) -> HardQuestion:
    """Ask for a perfect matching.

    ``m`` is the number of sensitive values, which a release tells by itself; None: the
    fewest.
    """
    if released is not None:
        # The release itself tells how many sensitive values its table had.
        m = len(set(released.cells(released.names[-1])))
        m = min(max(m, points.dimension), points.dimension * points.size)
    reduction = reduce.matching_reduction(points, m)

    def names(chosen: frozenset[int]) -> list[list[str]]:
        shown = (
            zip(points.domains, points.points[i], strict=True) for i in sorted(chosen)
        )
        return [[domain[c] for domain, c in pairs] for pairs in shown]

    most, l = points.size * len(points.points), points.dimension
    return HardQuestion(
        reduction,
        points,
        names,
        lambda chosen: reductions.is_matching(points, chosen),
        lambda stars: f"exactly {most - stars // l}",
        "at most",
    )


EXAMPLES = (
    "starmin solve petersen.csv --k 7 --out petersen.k7.csv --certificate proof.json",
    "starmin lift vertex-cover graph:petersen petersen.k7.csv",
    "starmin lift vertex-cover graph:petersen --size 5 --certificate proof.json",
)


def lift(
    reduction: reduce.Name,
    source: reduce.Input,
    release: Annotated[
        Path | None,
        argument(
            "[RELEASE]", "A release of the table that reduce wrote, rows in its order."
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        option(
            "--certificate FILE",
            "A certificate for that table: is the threshold out of reach?",
        ),
    ] = None,
    values: reduce.Values = None,
    size: reduce.Size = None,
    sep: options.Sep = None,
    star: options.Star = "*",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Map a release back: to a vertex cover, a matching, or parts of a graph.

    Any valid release will do. A cover has at most as many vertices as the release has
    stars beyond the base cost; a release at the threshold gives a perfect matching or
    a whole partition. A certificate of more stars than the threshold proves that there
    is none, and bounds the size of every solution.
    """
    if release is None and certificate is None:
        raise TableError("name a release, or a proof with --certificate, or both")
    if values is not None and (release or reduction not in ("3dm", "kdm")):
        raise TableError("--values is for 3dm and kdm, where there is no release")
    if size is not None and reduction != "vertex-cover":
        raise TableError("--size is for vertex-cover")
    released = None if release is None else read_table(release, sep=separator(sep))
    if reduction == "vertex-cover":
        question = cover_question(reduce.read_source_graph(source), size)
    elif reduction == "edge-partition":
        question = partition_question(reduce.read_source_graph(source))
    else:
        points = reduce.read_matching(source, reduction)
        question = matching_question(points, released, values)
    content = _answer(question, released, release, certificate, star)
    answer_in(as_json, content, _lines(content))
    return UNKNOWN if content["valid"] is None else int(not content["valid"])


def _answer(
    question: HardQuestion,
    released: Table | None,
    path: Path | None,
    certificate: Path | None,
    star: str,
) -> dict[str, Any]:
    """Return the object of ``--json``."""
    partition = None
    if released is not None:
        reduced = question.reduction.apply(question.source)
        partition, why = _partition(reduced, released, path, star)
        if partition is None:
            return _refused(why)
    try:
        proof = None if certificate is None else Certificate.read(certificate)
        decision = decide(question.reduction, question.source, partition, proof)
    except (UnknownFormatError, BeyondError) as unknown:
        return _refused(str(unknown)) | {"valid": None}
    except TableError:
        raise
    except ValueError as error:
        return _refused(str(error))
    return _found(question, decision)


def _partition(
    reduced: reductions.Reduced, released: Table, path: Path | None, star: str
) -> tuple[Partition | None, str]:
    """Return the classes of a release, or None and why they are not valid.

    Raises TableError where it is not a release of this table.
    """
    table, no_release = reduced.table, f"{path}: not a release of this input"
    if released.names != table.names:
        raise TableError(
            f"{path}: its columns are {_some(released.names)}, those of this input's "
            f"table are {_some(table.names)}"
        )
    if released.n != table.n:
        raise TableError(
            f"{no_release}: it has {released.n:,} rows; the table of this input has "
            f"{table.n:,}"
        )
    released = released.with_roles(table.qi, table.sensitive)
    check = check_release(released, reduced.requirement, table, star)
    if check.inconsistencies:
        difference = check.inconsistencies[0]
        rows = ", ".join(map(str, difference.rows))
        where = f" (rows {rows})" if rows else ""
        raise TableError(f"{no_release}: {difference.why}{where}")
    if not check.holds:
        violation = check.violations[0]
        return None, f"class {violation.group}: {violation.why}"
    return Partition(released.grouped(released.qi).inverse), ""


def _found(question: HardQuestion, decision: Decision[Any]) -> dict[str, Any]:
    stars, solution, bound = decision.stars, decision.solution, decision.bound
    size_bound = None
    if bound is not None:
        size_bound = question.reduction.size_bound(question.source, bound)
    return {
        "solution": None if solution is None else question.names(solution),
        "size": None if solution is None else len(solution),
        "valid": solution is None or question.valid(solution),
        "stars": stars,
        "promise": None if stars is None else question.promise(stars),
        "reason": None,
        "threshold": decision.threshold if question.asked else None,
        "answer": decision.answer if question.asked else None,
        "certified_bound": bound,
        "limit": None if size_bound is None else f"{question.limit} {size_bound}",
    }


def _refused(why: str) -> dict[str, Any]:
    keys = ("solution", "size", "stars", "promise", "threshold", "answer")
    nothing = dict.fromkeys((*keys, "certified_bound", "limit"))
    return nothing | {"valid": False, "reason": why}


def _lines(content: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text, to be read by people."""
    if content["reason"] is not None:
        valid = "cannot be checked here" if content["valid"] is None else "no"
        return [("valid", valid), ("reason", content["reason"])]
    lines = []
    if content["stars"] is not None:
        promised = f"{content['size']:,} (the release promises {content['promise']})"
        lines.append(("release", counted(content["stars"], "star")))
        lines.append(("size", promised))
        lines.append(("valid", "yes" if content["valid"] else "no"))
    if (bound := content["certified_bound"]) is not None:
        lines.append(("proven", f"at least {counted(bound, 'star')}"))
        lines.append(("so", f"every solution has {content['limit']}"))
    if content["threshold"] is not None:
        answer = {True: "yes", False: "no", None: "not decided"}[content["answer"]]
        lines.append(("answer", f"{answer} (threshold {content['threshold']:,})"))
    return [*lines, *(("", _text(part)) for part in content["solution"] or ())]


def _text(part: Any) -> str:
    return part if isinstance(part, str) else " ".join(map(_text, part))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", .." if len(names) > 5 else "")
