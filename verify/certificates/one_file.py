"""Ask the checker that needs nothing but Python, in process."""

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any

from starmin.instances import Certificate, Table
from starmin.instances.scales.scale import Layout
from starmin.instances.tables.row_types import canonical_order
from starmin.verify import checker
from starmin.verify.certificates.asked import Asked
from starmin.verify.certificates.paying_ranges import LoopedBoxList
from starmin.verify.certificates.untrusted import (
    ENDLESS,
    RefusalError,
    check_keys,
    listed,
    whole,
)
from starmin.verify.checker.box_pieces import NEVER, Pieces
from starmin.verify.checker.boxes import box_bound
from starmin.verify.checker.columns import Given, Line
from starmin.verify.checker.command import WRONG, recomputed
from starmin.verify.checker.reading import Chain, by_person
from starmin.verify.checker.statement import Statement
from starmin.verify.checker.unions import person_bound, within_bound
from starmin.verify.exact import BeyondError, Told, expect_time


class _Nodes(list[Any]):
    """Nodes of a proof tree, which tell how many leaves of it have been walked."""

    def __init__(self, nodes: Sequence[Any], told: Told) -> None:
        super().__init__(nodes)
        self._told = told

    def __iter__(self) -> Iterator[Any]:
        nodes, done = list(super().__iter__()), 0
        splits = [isinstance(node, dict) and "split" in node for node in nodes]
        leaves = splits.count(False)
        for node, split in zip(nodes, splits, strict=True):
            yield node
            if not split:
                done += 1
                self._told(done, leaves)


def _telling(asked: Asked) -> dict[str, Any]:
    """Return the data of a proof, the nodes of which tell while they are walked."""
    data = dict(asked.data)
    nodes = listed(data.get("nodes", []), "nodes")
    if nodes and asked.told is not None:
        data["nodes"] = _Nodes(nodes, asked.told)
    return data


def bound_by_one_file(certificate: Certificate, asked: Asked) -> int:
    """Have the checker that needs nothing but Python recompute a bound, in process."""
    table = asked.table
    rows = _texts(table)
    if table.counts is not None:
        many = table.counts.tolist()
        rows = [row for row, n in zip(rows, many, strict=True) for _ in range(n)]
    # The cells of the table are those that its floors leave.
    content = vars(certificate) | {
        "table": {**certificate.table, "floors": {}},
        "requirement": dict(certificate.requirement),
        "objective": dict(certificate.objective),
        "data": _telling(asked),
    }
    with _one_file():
        problem = Statement(Given([*table.names], rows, content, {}), expect_time)
        return recomputed(problem, content)


def _texts(table: Table) -> list[list[str]]:
    return [[text or "" for text in row] for row in table.rows()]


@contextmanager
def _one_file() -> Iterator[None]:
    """Say in words of this checker what that of one file raises."""
    try:
        yield
    except checker.BeyondError as why:
        raise BeyondError(str(why)) from None
    except checker.RefusalError as why:
        raise RefusalError(str(why)) from None
    except BeyondError:
        raise
    except WRONG as error:
        raise RefusalError(
            f"an entry is missing or of another kind ({error})"
        ) from None


# Proofs by boxes, of any scales: with highest levels, and losses of one's own, too.


def bound_by_boxes(asked: Asked) -> int:
    """Recompute what prices and sets of rows prove, at most the claim.

    docs/reference/certificate.md has the theorem (section "Kind boxes").
    """
    data = _telling(asked)
    whole(data["denominator"], "its denominator", 1)
    _expect_small(asked.data)
    with _one_file():
        pieces = Pieces(BoxProblem(asked), data)
        return box_bound(pieces, asked.claim, data.get("nodes", []), LoopedBoxList)


def _expect_small(content: Any) -> None:
    """Refuse numbers that nobody needs."""
    if isinstance(content, int) and abs(content) >= ENDLESS:
        raise RefusalError("a number of its data is beyond what is checked")
    within = content.values() if isinstance(content, dict) else content
    for each in within if isinstance(content, dict | list) else ():
        _expect_small(each)


class _Positioned(Statement):
    """What is asked of a statement whose values are named by their positions."""

    def __init__(self, asked: Asked) -> None:
        self.expect_time, table, objective = expect_time, asked.table, asked.objective
        self.n, self.qi, self.kept = table.n, table.qi, objective.kept(table).tolist()
        self.lines, self.chains, self.units = [], [], []
        scales, units = objective.scales_of(table), objective.units(table)
        # By column and row.
        self.positions = scales.row_positions(table).T.tolist()
        for scale, unit, own in zip(scales.scales, units, self.positions, strict=True):
            layout = scale.layout
            self.lines.append(_LaidOut(layout) if layout.is_line else None)
            self.units.append(unit if layout.is_line else 1)
            self.chains.append({} if layout.is_line else _chains(layout, unit, {*own}))


class BoxProblem(_Positioned):
    """What boxes ask of a statement.

    Where no sensitive column is named, groups need rows alone: what is left out makes
    the bound no higher.
    """

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        data, table, k, l, distinct, objective, *_ = asked
        self.diverse, named = "sensitive" in data, asked.named()
        self.least = max(k, l, distinct)
        self.l, self.distinct = (l, distinct) if self.diverse else (1, 1)
        types = table.sensitive_types if self.diverse else table.row_types
        order = canonical_order(table, types)
        positions = objective.scales_of(table).positions(types.codes[order]).tolist()
        self.types = [tuple(map(str, row)) for row in positions]
        self.copies = types.counts[order].tolist()
        self.values = [
            list(map(str, types.sensitive[order, place].tolist())) for place in named
        ]


# Proofs of releases whose groups are unions, of any scales, too.


def bound_by_persons(asked: Asked, least: int) -> int:
    """Recompute what no release with all rows of a person alike goes below.

    The ids are the sensitive column of the table, and ``least`` is how many of them
    each group has. docs/reference/certificate.md has the theorem ("Kind persons").
    """
    asked = asked.by_stars()
    check_keys(asked.data, "its data", {"denominator", "patterns", "nodes"})
    table, problem = asked.table, _Positioned(asked)
    problem.least, of = least, table.names.index(table.sensitive[0])
    rows, places = _texts(table), [table.names.index(column) for column in table.qi]
    named = [
        {row[j]: str(place) for row, place in zip(rows, column, strict=True)}
        for j, column in zip(places, problem.positions, strict=True)
    ]
    with _one_file():
        persons = sorted(by_person(rows, places, of).items())
        problem.copies = [many for _, many in persons]
        problem.types = [
            (*(at[text] for at, text in zip(named, values, strict=False)), values[-1])
            for values, _ in persons
        ]
        return _whole_bound(asked, person_bound(problem, _telling(asked)))


def bound_within(asked: Asked, digest: object) -> int:
    """Recompute what no release goes below whose classes are unions of given ones.

    ``digest`` is that of the classes, as the requirement states it; each class has the
    greatest number of rows that is asked for. docs/reference/certificate.md has the
    theorem (section "Kind within").
    """
    if asked.objective.once:
        raise RefusalError("a proof of this kind is for stars and gcp only")
    check_keys(asked.data, "its data", {"denominator", "classes", "prices"})
    problem = _Positioned(asked)
    problem.least, problem.within = max(asked.k, asked.l, asked.distinct), digest
    problem.shown = [
        tuple(map(str, row)) for row in zip(*problem.positions, strict=True)
    ]
    with _one_file():
        return _whole_bound(asked, within_bound(problem, dict(asked.data)))


def _whole_bound(asked: Asked, total: int) -> int:
    return max(0, -(-total // whole(asked.data["denominator"], "its denominator", 1)))


# The scales of columns as the checker of one file reads them.


class _LaidOut(Line):
    """The numbers of a column by their layout."""

    def __init__(self, layout: Layout) -> None:
        self.reach = layout.reach.tolist()
        self.begins, self.ends = layout.lower.tolist(), layout.upper.tolist()
        self.single, self.shortest = layout.single.tolist(), layout.least
        self.whole = int(layout.losses[-1])
        self.places = {str(place): place for place in range(len(self.reach))}


def _chains(layout: Layout, unit: int, places: Set[int]) -> dict[str, Chain]:
    """Return the nodes above each value, and what a row pays for them."""
    allowed, losses = layout.allowed.tolist(), layout.losses.tolist()
    return {
        str(place): [
            (str(node), unit * losses[node] if allowed[node] else NEVER)
            for node in dict.fromkeys(layout.path[:, place].tolist())
        ]
        for place in places
    }
