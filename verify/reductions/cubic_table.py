"""The table of three columns that stands for a cubic graph."""

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Ints
from starmin.verify.hard_problems.graph import Graph

K = 7
ROWS_PER_VERTEX = 20
FRESH = "?"
Row = tuple[str, str, str]


def cubic_table(graph: Graph) -> Table:
    """Return the table of the reduction from vertex cover, section 3.1.

    Vertex u is written ``vu``, fresh symbols ``?1``, ``?2``, ..

    Raises
    ------
    TableError
        The graph is not 3-regular.

    Examples
    --------
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
