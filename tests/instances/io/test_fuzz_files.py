"""Tests that any file is read right or refused in one line: tables, trees, graphs."""

import csv
import gzip
import io
import json
from itertools import dropwhile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starmin.gaps.standings import read_kept, standings
from starmin.gaps.store import Store
from starmin.instances import (
    Table,
    TableError,
    Taxonomy,
    read_file,
    read_table,
    write_table,
)
from starmin.verify.reductions import read_graph
from starmin.verify.reductions.read_sources import read_points
from tests.support.fuzzing import damaged, starmin, tries

TABLE = b'a,b,"c,d"\n1,"x ""y""",\n007,,"z\nw"\n1.0, ,\xc3\xa9\n'


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("fuzz"))
        yield


def written(name: str, content: bytes) -> Path:
    Path(name).write_bytes(content)
    return Path(name)


def one_line(error: TableError, path: Path) -> None:
    assert str(path) in str(error) and "\n" not in str(error)


def csv_rows(content: bytes) -> list[list[str]] | None:
    """Header and rows by the ``csv`` module alone; None where it is no table."""
    try:
        text = content.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        header, *rows = dropwhile(lambda row: not row, rows)
    except (UnicodeDecodeError, csv.Error, ValueError):
        return None
    one = len(header) == 1
    rows = [row or [""] for row in rows] if one else [row for row in rows if row]
    whole = rows and all(len(row) == len(header) for row in rows)
    named = header and all(header) and len(set(header)) == len(header)
    return [header, *rows] if whole and named and "\0" not in text else None


@tries(40)
@given(st.one_of(damaged(TABLE), st.binary(max_size=30)), st.booleans())
def test_csv(content, packed):
    name, packed_content = "t.csv", content
    if packed:
        name, packed_content = "t.csv.gz", gzip.compress(content, 1, mtime=0)
    path = written(name, packed_content)
    try:
        read = read_file(path, sep=",", encoding="utf-8")
    except TableError as error:
        one_line(error, path)
        assert csv_rows(content) is None, str(error)
    else:
        rows = [list(read.table.names), *map(list, read.table.rows())]
        if any("blank line" not in line for line in read.told):
            below = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
            assert rows[1:] == [row for row in below if row][1 - len(rows) :]
        else:
            assert rows == csv_rows(content)


@tries(40)
@given(damaged(gzip.compress(TABLE, mtime=0)))
def test_broken_gzip(content):
    path = written("broken.csv.gz", content)
    try:
        table = read_table(path)
    except TableError as error:
        one_line(error, path)
    else:
        assert [list(table.names), *map(list, table.rows())] == csv_rows(TABLE)


@tries(40)
@given(st.data())
def test_broken_parquet(data):
    table = Table.from_rows("ab", [["1", None], ["é", "x"], ["1", "x"]], qi="ab")
    write_table(table, Path("whole.parquet"))
    content = data.draw(damaged(Path("whole.parquet").read_bytes()))
    path = written("broken.parquet", content)
    try:
        read_table(path)
    except TableError as error:
        one_line(error, path)


TREE = b'30;adult;*\n41;adult;*\n"7;8";child;*\n'


@tries(50)
@given(damaged(TREE))
def test_hierarchies(content):
    path = written("tree.csv", content)
    try:
        tree = Taxonomy.read(path)
    except TableError as error:
        one_line(error, path)
        return
    try:
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        lines = list(csv.reader(text, delimiter=";", strict=True))
    except (UnicodeDecodeError, csv.Error):
        return  # another encoding or form was recognised
    plain = all(len(line) == 3 and all(line) for line in lines)
    if not plain or len({line[-1] for line in lines}) > 1:
        return  # so were uneven lines: test_hierarchy_files has these
    assert {line[0] for line in lines} == set(tree.leaves)
    first = lines[0][-1]
    for line in lines:
        path_up = [line[0], *tree.ancestors[line[0]]]
        assert path_up == list(dict.fromkeys(line)) and path_up[-1] == first


@tries(50)
@given(st.one_of(damaged(b'{adult{30,41},"a, b"{7}}'), st.binary(max_size=12)))
def test_inline_hierarchies(content):
    text = content.decode(errors="replace")
    try:
        tree = Taxonomy.parse(text, "column")
    except TableError as error:
        assert str(error).startswith("column: ") and "\n" not in str(error)
        return
    low, high = np.triu_indices(len(tree.leaves))
    for a, b, node in zip(low, high, tree.lowest_above(low, high), strict=True):
        below = {x for x in tree.leaves if tree.labels[node] in (x, *tree.ancestors[x])}
        assert {tree.leaves[a], tree.leaves[b]} <= below


GRAPHS = {
    "g.txt": b"# square\na b\nb c\nc d\nd a\n",
    "g.col": b"c square\np edge 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n",
    "g.g6": b"C]\n",
}


@tries(40)
@given(st.data())
def test_graphs(data):
    name = data.draw(st.sampled_from(sorted(GRAPHS)))
    path = written(name, data.draw(damaged(GRAPHS[name])))
    try:
        graph = read_graph(path)
    except TableError as error:
        one_line(error, path)
    else:
        assert len({frozenset(edge) for edge in graph.edges}) == len(graph.edges) > 0
        assert all(x != y and 0 <= x < graph.size > y for x, y in graph.edges)


@tries(40)
@given(damaged(b"x,y,z\n1,1,1\n2,1,2\n1,2,2\n"))
def test_points(content):
    path = written("points.csv", content)
    try:
        points = read_points(path, 3)
    except TableError as error:
        one_line(error, path)
    else:
        rows = csv_rows(content) or read_table(path, sep=",").rows()
        rows = [*map(list, rows)][-len(points.points) :]
        shown = [
            [points.domains[j][x] for j, x in enumerate(point)]
            for point in points.points
        ]
        assert shown == rows


def run_of(key: str, value: int) -> dict:
    common = {"problem": "p", "table": "t.csv", "asked": "k 2", "outcome": "ok"}
    return common | {"key": key, "method": "a", "value": value, "lower_bound": 1}


ROWS = b"".join(json.dumps(run_of(key, 3)).encode() + b"\n" for key in "ab")


@tries(50)
@given(damaged(ROWS))
def test_stores_of_gaps(content):
    path = written("runs.jsonl", content)
    try:
        store = Store(path)
    except ValueError as error:
        assert str(path) in str(error) and "\n" not in str(error)
        return
    named = {"problem": "p", "table": "t.csv", "asked": "k 2", "method": "a"}
    standings([row | named for row in store.rows.values()])
    store.append(run_of("c", 2))
    assert set(Store(path).rows) == {*store.rows, "c"}


@tries(40)
@given(damaged(b'{"t.csv --k 2": 3, "t.csv --k 3": 0.25}\n'))
def test_kept_values_of_gaps(content):
    path = written("best.json", content)
    try:
        kept = read_kept(path)
    except ValueError as error:
        assert str(path) in str(error) and "\n" not in str(error)
    else:
        assert all(isinstance(value, int | float) for value in kept.values())


WORDS = st.sampled_from(
    ["a", "b", "c,d", "a=1", "=", "a={x}", "a={x{1", "*", "", "a,a"]
)


@tries(40)
@given(st.data())
def test_options(data):
    written("t.csv", TABLE)
    options = ["--qi", "--sensitive", "--drop", "--keep", "--weights", "--hierarchy"]
    options += ["--numeric", "--star", "--sep", "--k", "--l", "--alpha", "--t", "--c"]
    line = ["solve", "t.csv", "--quiet", "--json", "--method", "mondrian"]
    for option in data.draw(st.lists(st.sampled_from(options), max_size=4)):
        word = data.draw(st.one_of(WORDS, st.text(max_size=4)))
        number = st.sampled_from(["2", "0", "-1", "1e9", "nan", "0.5", "x", "9" * 30])
        numeric = option in ("--k", "--l", "--alpha", "--t", "--c")
        line += [f"{option}={data.draw(number) if numeric else word}"]
    starmin(*line)


@pytest.mark.parametrize("option", ["--qi", "--sensitive", "--drop", "--keep"])
@pytest.mark.parametrize("names", ["\r0", 'a,"b', '"a"b', "a\nb"])
def test_names_that_are_no_list(option, names):
    written("t.csv", TABLE)
    code, _, _ = starmin("solve", "t.csv", "--k", "2", option, names)
    assert code == 2


RELEASE = b"zip,sex,ill\n5600*,F,flu\n5600*,F,gout\n*,M,flu\n*,M,cold\n"


@tries(30)
@given(damaged(RELEASE), damaged(b"F;any\nM;any\n"), st.booleans())
def test_linked_releases(content, levels, by_tree):
    written("one.csv", RELEASE)
    written("two.csv", content)
    written("sex.csv", levels)
    words = ["--hierarchy", "sex=sex.csv"] if by_tree else []
    line = ("linkage", "attack", "one.csv", "two.csv", "--sensitive", "ill", "--json")
    code, out, _ = starmin(*line, *words)
    assert code == 2 or json.loads(out)


@tries(25)
@given(st.data())
def test_releases_that_are_lifted(data):
    if not Path("k33.7.csv").exists():
        starmin("reduce", "edge-partition", "graph:k33", "--out", "k33.csv")
        line = "solve k33.csv --k 3 --method forest --out k33.7.csv"
        assert starmin(*line.split(), "--quiet")[0] == 0
    content = data.draw(damaged(Path("k33.7.csv").read_bytes()))
    written("damaged.csv", content)
    line = ("lift", "edge-partition", "graph:k33", "damaged.csv", "--json")
    code, out, _ = starmin(*line)
    assert code == 2 or "valid" in json.loads(out)
