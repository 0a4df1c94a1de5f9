"""Read the sources of reductions: graphs and sets of points."""

from collections.abc import Callable, Iterable
from pathlib import Path

from starmin.instances import TableError, read_table
from starmin.instances.io.atomic import expect_file
from starmin.instances.io.layout import usual_separator
from starmin.instances.tables.names import counted
from starmin.verify.reductions.source_solvers import Graph, PointSet

_DIMACS_ENDINGS = (".dimacs", ".col", ".clq", ".gr")
_GRAPH6_ENDINGS = (".g6", ".graph6")
_GRAPH6_HEADER = ">>graph6<<"


def read_graph(path: Path | str) -> Graph:
    """Read a simple graph.

    By its ending the file is DIMACS (``.dimacs``, ``.col``, ``.clq``, ``.gr``), graph6
    (``.g6``, ``.graph6``; one graph), else an edge list: two names a line, apart by
    blanks; ``#`` begins a comment. Raises TableError for no such file, not text, a line
    that is none of the format, a loop, a double edge, or no edges.
    """
    path = Path(path)
    name = str(path)
    parse: Callable[[str, str], Graph] = parse_edge_list
    if name.lower().endswith(_DIMACS_ENDINGS):
        parse = parse_dimacs
    elif name.lower().endswith(_GRAPH6_ENDINGS):
        parse = parse_graph6
    graph = parse(_read_text(path), name)
    if not graph.edges:
        raise TableError(f"{name}: no edges; expected a graph")
    return graph


def parse_edge_list(text: str, name: str = "graph") -> Graph:
    """Return two vertex names a line.

    >>> parse_edge_list("a b  # first\\nb c").edges
    ((0, 1), (1, 2))
    """
    edges: list[tuple[int, str, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise TableError(
                f"{name}: line {number} has {counted(len(words), 'name')}, expected two"
            )
        edges.append((number, words[0], words[1]))
    vertices = dict.fromkeys(v for _, *ends in edges for v in ends)
    return _graph(vertices, edges, name)


def parse_dimacs(text: str, name: str = "graph") -> Graph:
    """Parse DIMACS: ``p edge VERTICES EDGES``, then ``e X Y`` with X, Y from 1.

    Lines that begin with ``c`` are comments. The number of edges in the ``p`` line is
    not relied on: files in use state each edge once or twice. An edge stated in both
    directions counts once.

    >>> parse_dimacs("c path\\np edge 3 2\\ne 1 2\\ne 3 2").edges
    ((0, 1), (1, 2))
    """
    size: int | None = None
    edges: list[tuple[int, str, str]] = []
    stated: set[tuple[str, str]] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0] == "c":
            continue
        where = f"{name}: line {number}"
        if words[0] == "p":
            if size is not None:
                raise TableError(f"{where} is a second 'p' line; remove it")
            if len(words) != 4 or not words[2].isdecimal():
                raise TableError(f"{where}: expected 'p edge VERTICES EDGES'")
            size = _whole(words[2], where)
        elif words[0] in ("e", "a"):
            if size is None:
                raise TableError(f"{where}: an edge before the 'p' line")
            if len(words) < 3 or not all(w.isdecimal() for w in words[1:3]):
                raise TableError(f"{where}: expected 'e X Y' with two numbers")
            x, y = (_whole(word, where) for word in words[1:3])
            if not (1 <= x <= size and 1 <= y <= size):
                raise TableError(f"{where}: expected vertices 1 .. {size}")
            if (str(y), str(x)) not in stated or x == y:
                edges.append((number, str(x), str(y)))
            stated.add((str(x), str(y)))
        else:
            raise TableError(f"{where} begins with {words[0]!r}, expected c, p or e")
    if size is None:
        raise TableError(f"{name}: no 'p edge VERTICES EDGES' line")
    touched = {v for _, *ends in edges for v in ends}
    if len(touched) < size:
        alone = next(v for v in range(1, size + 1) if str(v) not in touched)
        raise TableError(f"{name}: vertex {alone} has no edge; remove it")
    return _graph(map(str, range(1, size + 1)), edges, name)


def parse_graph6(text: str, name: str = "graph") -> Graph:
    """Parse graph6, one graph: its vertices are named 0, 1, ..

    B. McKay, formats.txt of nauty and Traces.

    >>> len(parse_graph6("C~").edges)
    6
    """
    import networkx

    lines = text.removeprefix(_GRAPH6_HEADER).split()
    if len(lines) != 1:
        raise TableError(f"{name}: {len(lines)} graphs, expected one")
    line = lines[0].removeprefix(_GRAPH6_HEADER)
    if not line or not all(63 <= ord(c) <= 126 for c in line):
        raise TableError(f"{name}: not graph6; its characters are '?' to '~'")
    try:
        graph = networkx.from_graph6_bytes(line.encode())
    except (networkx.NetworkXError, ValueError, IndexError):
        raise TableError(f"{name}: not graph6; its length is wrong") from None
    return Graph.from_networkx(graph, name)


def read_points(path: Path | str, dimension: int | None = None) -> PointSet:
    """Read the points of a matching problem from CSV with a header.

    The file has a column for each coordinate, a row for each point; equal text in one
    column is the same value, in two columns it is not. There must be ``dimension``
    columns; default: any number from 2. A column with fewer values than another one
    gets values that no point has: then there is no perfect matching. Raises TableError
    for no such file, not CSV, another number of columns, or a point twice.
    """
    table = read_table(path, sep=usual_separator(Path(path)), encoding="utf-8")
    if dimension is not None and table.d != dimension:
        raise TableError(f"{path}: {table.d} columns, expected {dimension}")
    if table.d < 2:
        raise TableError(f"{path}: one column, expected at least 2")
    columns = [table.cells(c) for c in table.qi]
    found = [tuple(dict.fromkeys("" if v is None else v for v in c)) for c in columns]
    size = max(map(len, found))
    domains = tuple(
        (*values, *(_unused(values, size - len(values)))) for values in found
    )
    codes = [{value: i for i, value in enumerate(domain)} for domain in domains]
    points = tuple(
        tuple(code["" if v is None else v] for code, v in zip(codes, row, strict=True))
        for row in zip(*columns, strict=True)
    )
    return PointSet(domains, points, str(path))


def _unused(values: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return ``count`` names that are not among ``values``."""
    names = (f"unused {i}" for i in range(1, count + len(values) + 1))
    return tuple([name for name in names if name not in values][:count])


def _graph(
    vertices: Iterable[str], edges: list[tuple[int, str, str]], name: str
) -> Graph:
    """Return the graph, with loops and double edges refused by line."""
    seen: dict[frozenset[str], int] = {}
    for number, x, y in edges:
        if x == y:
            raise TableError(f"{name}: line {number}: edge {x} {y} is a loop")
        if (before := seen.setdefault(frozenset((x, y)), number)) != number:
            raise TableError(
                f"{name}: line {number}: edge {x} {y} occurs before, in line {before}"
            )
    return Graph.of(vertices, [(x, y) for _, x, y in edges], name)


def _whole(digits: str, where: str) -> int:
    if len(digits) > 9:
        raise TableError(f"{where}: number {digits[:9]}.. is too large")
    return int(digits)


def _read_text(path: Path) -> str:
    if path.is_dir():
        raise TableError(f"{path}: is a folder; name a file")
    try:
        expect_file(path)
        content = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TableError(f"{path}: not UTF-8 text; convert it first") from None
    if "\0" in content:
        raise TableError(f"{path}: holds a NUL byte; remove it")
    return content
