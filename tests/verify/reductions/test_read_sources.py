"""Tests that graphs and points are read, and what is refused in one line."""

from pathlib import Path

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starmin.instances import TableError
from starmin.verify.reductions import named_cubic_graph, read_graph
from starmin.verify.reductions.hard_instances import NAMED_CUBIC_GRAPHS
from starmin.verify.reductions.read_sources import (
    parse_dimacs,
    parse_edge_list,
    parse_graph6,
    read_points,
)
from tests.verify.reductions.sources import to_networkx


@pytest.mark.parametrize("name", NAMED_CUBIC_GRAPHS)
def test_the_same_graph_in_three_formats(name: str, tmp_path: Path) -> None:
    graph = named_cubic_graph(name)
    edges = [(x + 1, y + 1) for x, y in graph.edges]
    files = {
        "g.txt": "# edges\n" + "".join(f"{x}\t{y}\n" for x, y in edges),
        "g.col": f"c a graph\np edge {graph.size} {len(edges)}\n"
        + "".join(f"e {x} {y}\n" for x, y in edges),
        "g.g6": networkx.to_graph6_bytes(to_networkx(graph)).decode(),
    }
    for file, text in files.items():
        (tmp_path / file).write_text(text)
        read = read_graph(tmp_path / file)
        assert len(read.edges) == len(edges)
        assert networkx.is_isomorphic(to_networkx(read), to_networkx(graph))


def test_dimacs_may_state_an_edge_in_both_directions() -> None:
    assert len(parse_dimacs("p col 2 2\ne 1 2\ne 2 1\n").edges) == 1


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("g.txt", "", "no edges"),
        ("g.txt", "a b\na b c\n", "line 2 has 3 names"),
        ("g.txt", "a b\nb a\n", "line 2: edge b a occurs before, in line 1"),
        ("g.txt", "a a\n", "line 1: edge a a is a loop"),
        ("g.txt", "a \0\n", "NUL"),
        ("g.col", "e 1 2\n", "before the 'p' line"),
        ("g.col", "c only\n", "no 'p edge"),
        ("g.col", "p edge two 1\n", "expected 'p edge"),
        ("g.col", "p edge 2 1\np edge 2 1\n", "second 'p' line"),
        ("g.col", "p edge 2 1\ne 1 3\n", r"expected vertices 1 \.\. 2"),
        ("g.col", "p edge 2 1\ne 1\n", "expected 'e X Y'"),
        ("g.col", "p edge 3 1\ne 1 2\n", "vertex 3 has no edge"),
        ("g.col", "p edge 2 1\nx 1 2\n", "begins with 'x'"),
        ("g.col", f"p edge {'9' * 30} 1\n", "too large"),
        ("g.g6", "C~\nC~\n", "2 graphs, expected one"),
        ("g.g6", "", "0 graphs, expected one"),
        ("g.g6", "C\x7f\n", "not graph6"),
        ("g.g6", "~~~~~~\n", "not graph6"),
        ("g.g6", "D~\n", "length is wrong"),
        ("g.g6", "C?\n", "no edges"),
    ],
)
def test_bad_graphs(file: str, text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_text(text)
    with pytest.raises(TableError, match=why) as error:
        read_graph(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        read_graph(tmp_path / "none.txt")
    with pytest.raises(TableError, match="is a folder"):
        read_graph(tmp_path)
    (tmp_path / "latin.txt").write_bytes(b"\xe4 b\n")
    with pytest.raises(TableError, match="not UTF-8"):
        read_graph(tmp_path / "latin.txt")


def test_points(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("who,where,when\nann,here,1\nbob,here,2\nbob,,1\n")
    points = read_points(path, 3)
    assert points.domains == (("ann", "bob"), ("here", ""), ("1", "2"))
    assert points.points == ((0, 0, 0), (1, 0, 1), (1, 1, 0))


def test_points_with_too_few_values_get_unused_ones(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("a,b\nx,unused 1\ny,unused 1\n")
    points = read_points(path)
    assert points.domains == (("x", "y"), ("unused 1", "unused 2"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b\n1,2\n", "2 columns, expected 3"),
        ("a,b,c\n1,2,3\n1,2,3\n", "point 2 occurs before"),
        ("a,b,c\n", "no rows"),
        ("a,b,c\n1,2\n", "expected 3 cells"),
    ],
)
def test_bad_points(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=why):
        read_points(path, 3)


line = st.text(st.sampled_from("ep cab012 #\t~?C-.é"), max_size=12)


@settings(max_examples=150, deadline=None)
@given(st.lists(line, max_size=6).map("\n".join))
def test_any_text_is_a_graph_or_refused_in_one_line(text: str) -> None:
    for parse in (parse_edge_list, parse_dimacs, parse_graph6):
        try:
            graph = parse(text, "file")
        except TableError as error:
            assert str(error).startswith("file: ")
            assert "\n" not in str(error)
        else:
            assert len(set(graph.edges)) == len(graph.edges)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(min_codepoint=60, max_codepoint=127), max_size=9))
def test_any_graph6_is_a_graph_or_refused(text: str) -> None:
    try:
        graph = parse_graph6(text, "file")
    except TableError as error:
        assert str(error).startswith("file: ")
    else:
        body = text.removeprefix(">>graph6<<").strip()
        encoded = networkx.to_graph6_bytes(to_networkx(graph), header=False)
        assert len(encoded.decode().strip()) == len(body)
