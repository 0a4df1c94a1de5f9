"""The claims about the table of a cubic graph alone, each tested row by row.

Each function lists its failures; none means that the claim holds.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Ints
from starmin.verify.reductions.base import Reduced
from starmin.verify.reductions.source_solvers import Graph

# The table of three columns that stands for a cubic graph.

K = 7
ROWS_PER_VERTEX = 20
FRESH = "?"
Row = tuple[str, str, str]


def cubic_table(graph: Graph) -> Table:
    """Return the table of the reduction from vertex cover, section 3.1.

    Vertex u is written ``vu``, fresh symbols ``?1``, ``?2``, .. Raises TableError where
    the graph is not 3-regular.

    >>> k4 = Graph.of("abcd", [("a", "b"), ("a", "c"), ("a", "d"),
    ...                        ("b", "c"), ("b", "d"), ("c", "d")])
    >>> cubic_table(k4).rows()[5:8]
    [('0', 'va', 'va'), ('?1', 'va', 'va'), ('?2', 'va', '?3')]
    """
    graph.check_regular(3)
    fresh = (f"{FRESH}{i}" for i in range(1, 15 * graph.size + 2 * K + 1))
    rows: list[Row] = []
    symbols = [symbol(vertex) for vertex in graph.vertices]
    for u in symbols:
        rows += [("0", u, u)] * 6
        rows.append((next(fresh), u, u))
        rows += [(next(fresh), u, next(fresh)) for _ in range(K)]
        rows += [("0", u, "Z")] * 3 + [("0", "Z", u)] * 3
    for x, y in graph.edges:
        rows += [("0", symbols[x], symbols[y]), ("0", symbols[y], symbols[x])]
    rows += [("0", next(fresh), "Z") for _ in range(K)]
    rows += [("0", "Z", next(fresh)) for _ in range(K)]
    return Table.from_rows("abc", rows, qi="abc", name=f"vertex-cover {graph.name}")


def symbol(vertex: str) -> str:
    """Return the cell for a vertex: never 0, Z, a fresh symbol or a star."""
    return f"v{vertex}"


def base_cost(graph: Graph) -> int:
    """Return the stars that every release pays: ABC = 27 r + 2 |E| + 14."""
    return 27 * graph.size + 2 * len(graph.edges) + 2 * K


def row_base_cost(row: Row) -> int:
    """Return the stars a row pays in any release: 2 with two fresh symbols, else 1."""
    return 2 if row[0].startswith(FRESH) and row[2].startswith(FRESH) else 1


def vertex_base_costs() -> Ints:
    """Return the base costs of the 20 rows of a vertex, in their order."""
    base = np.ones(ROWS_PER_VERTEX, np.int64)
    base[K : 2 * K] = 2
    return base


def text_rows(table: Table) -> list[Row]:
    """Return the rows of such a table, as text."""
    return [(str(a), str(b), str(c)) for a, b, c in table.rows()]


# The claims.


def construction(graph: Graph, table: Table) -> Iterator[str]:
    """Check that the rows, fresh symbols read as '?', are those of section 3.1."""

    def kinds(part: Table) -> Counter[tuple[str, ...]]:
        return Counter(
            tuple(FRESH if cell.startswith(FRESH) else cell for cell in row)
            for row in text_rows(part)
        )

    if table.d != 3:
        yield f"{table.d} columns, expected 3"
        return
    found, expected = kinds(table), kinds(cubic_table(graph))
    for row in [*expected, *found]:
        if found[row] != expected[row]:
            yield f"{found[row]} rows ({', '.join(row)}), expected {expected[row]}"


def fresh_symbols(table: Table) -> Iterator[str]:
    """Check that each fresh symbol occurs in one cell."""
    cells = Counter(cell for row in text_rows(table) for cell in row)
    for cell, count in cells.items():
        if cell.startswith(FRESH) and count > 1:
            yield f"symbol {cell} occurs in {count} cells, expected one"


def base_costs(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that no row in groups of k pays less than its base cost; the sum is ABC."""
    table, k = reduced.table, reduced.requirement.core.size
    least = np.full(table.n, table.d)
    for mask in range(1, 2**table.d):
        kept = [j for j in range(table.d) if mask >> j & 1]
        alike = table.grouped([table.qi[j] for j in kept])
        fits = alike.counts[alike.inverse] >= k
        least[fits] = np.minimum(least[fits], table.d - len(kept))
    rows = text_rows(table)
    for row, stars in zip(rows, least, strict=True):
        if stars < row_base_cost(row):
            yield (
                f"row ({', '.join(row)}) may pay {stars} stars in a group of {k}, "
                f"less than {row_base_cost(row)}"
            )
    if (total := sum(map(row_base_cost, rows))) != base_cost(graph):
        yield f"base costs add up to {total}, not {base_cost(graph)}"


def claim_2(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that a critical row that pays 1 is with just the six rows (0, u, u)."""
    k = reduced.requirement.core.size
    alike = Counter(row[1:] for row in text_rows(reduced.table))
    for vertex in graph.vertices:
        count = alike[symbol(vertex), symbol(vertex)]
        if count != k:
            yield f"{count} rows (., {vertex}, {vertex}), expected exactly k = {k}"


def claim_3(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that an edge row between perfect vertices cannot pay only 1.

    By Claim 2 the rows (0, x, x) and (0, y, y) are elsewhere.
    """
    k = reduced.requirement.core.size
    rows = [row for row in text_rows(reduced.table) if row[1] != row[2]]
    symbols = [symbol(vertex) for vertex in graph.vertices]
    for kept in ((0, 1), (0, 2), (1, 2)):
        counts = Counter((row[kept[0]], row[kept[1]]) for row in rows)
        for x, y in graph.edges:
            for row in ("0", symbols[x], symbols[y]), ("0", symbols[y], symbols[x]):
                count = counts[row[kept[0]], row[kept[1]]]
                if count >= k:
                    columns = " and ".join(reduced.table.qi[j] for j in kept)
                    yield (
                        f"{count} rows agree with ({', '.join(row)}) on {columns}, "
                        f"expected fewer than k = {k}"
                    )
