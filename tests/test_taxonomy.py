"""Tests that taxonomies are read as they are written, and that no other tree is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starmin.instances import TableError, Taxonomy

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6)


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Paths of a random tree below ``*``, leaves shuffled, no name used twice."""
    names = draw(st.lists(NAMES, min_size=1, max_size=12, unique=True))
    names = [name.strip() for name in names]
    names = [name for name in dict.fromkeys(names) if name and name != "*"] or ["a"]
    above = {
        name: draw(st.sampled_from(["*", *names[:i]])) for i, name in enumerate(names)
    }
    leaves = [name for name in names if name not in above.values()]
    paths = []
    for leaf in draw(st.permutations(leaves)):
        path = [leaf]
        while path[-1] != "*":
            path.append(above[path[-1]])
        paths.append(tuple(path))
    return paths


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def inline(paths: list[tuple[str, ...]], above: tuple[str, ...] = ("*",)) -> str:
    """The tree below a node, written inline."""
    depth = len(above)
    mine = [path for path in paths if path[-depth:] == above]
    parts = []
    for name in dict.fromkeys(path[-depth - 1] for path in mine):
        is_leaf = any(path[0] == name for path in mine)
        parts.append(quoted(name) + ("" if is_leaf else inline(mine, (name, *above))))
    return "{" + ",".join(parts) + "}"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(trees())
def test_leaves_are_numbered_so_that_two_tell_the_lowest_ancestor(paths):
    tree = Taxonomy(paths)
    by_leaf = {path[0]: path for path in paths}
    assert sorted(tree.leaves) == sorted(by_leaf)
    assert tree.ancestors == {leaf: path[1:] for leaf, path in by_leaf.items()}
    m = len(tree.leaves)
    low, high = np.triu_indices(m)
    lowest = tree.lowest_above(low, high)
    for a, b, node in zip(low, high, lowest, strict=True):
        own = [by_leaf[leaf] for leaf in tree.leaves[a : b + 1]]
        expected = next(n for n in own[0] if all(n in path for path in own))
        assert tree.labels[node] == expected
        assert tree.counts[node] == sum(expected in path for path in paths)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(trees())
def test_inline_trees_are_read_back(paths):
    tree = Taxonomy.parse(inline(paths))
    assert tree.ancestors == Taxonomy(paths).ancestors


@settings(max_examples=100, deadline=None, derandomize=True)
@given(trees())
def test_files_are_read_back(tmp_path_factory, paths):
    # ARX's tables have as many levels for all: a node is repeated to fill them.
    most = max(map(len, paths))
    rows = [(path[0],) * (most - len(path)) + path for path in paths]
    lines = [";".join(quoted(name) for name in row) for row in rows]
    file = tmp_path_factory.mktemp("tree") / "tree.csv"
    file.write_bytes("\n".join(lines).encode())
    assert Taxonomy.read(file).ancestors == Taxonomy(paths).ancestors


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text('{},"ab *', max_size=12))
def test_any_text_is_a_tree_or_refused(text):
    try:
        tree = Taxonomy.parse(text)
    except TableError as error:
        assert "\n" not in str(error)
    else:
        assert len(tree.leaves) == len(tree.paths) > 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "expected lines of a value and the nodes above it"),
        ("a;x;*\nb\n", "line 2: expected a value and the nodes above it, separated by"),
        ("a\nb\n", "line 1: .* separated by semicolons; got 'a'"),
        ("a;x;*\nb;y;*\nc;x;y\n", "line 3: node 'x' is below '\\*' and below 'y'"),
        ("a;x;*\nb;y;*\nx;y;*\n", "line 3: node 'x' is below '\\*' and below 'y'"),
        ("a;x;*\nx;x;*\n", "line 2: value 'x' is also a node above others"),
        ("a;x;*\n\na;y;*\n", "line 3: node 'a' is below 'x' and below 'y'"),
        ("a;x;*\nb;x;y;*\n", "line 2: node 'x' is below '\\*' and below 'y'"),
        ("a;x;y;x\n", "node 'x'"),
        ('a;"x\n', "line 1|line 2"),
    ],
)
def test_files_that_are_no_tree_are_refused(tmp_path, content, why):
    file = tmp_path / "tree.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TableError, match=why) as caught:
        Taxonomy.read(file)
    assert str(file) in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(TableError, match=r"cannot be read \(No such file"):
        Taxonomy.read(tmp_path / "none.csv")
    with pytest.raises(TableError, match=r"cannot be read \(Is a directory"):
        Taxonomy.read(tmp_path)


def test_a_value_above_itself_counts_once(tmp_path):
    file = tmp_path / "tree.csv"
    file.write_text("\ufeffOther;Other;*\nSales;Office;*\nClerk;Office;*\n")
    tree = Taxonomy.read(file)
    assert tree.ancestors["Other"] == ("*",)
    assert tree.leaves == ("Other", "Sales", "Clerk")


def test_a_hierarchy_of_ages_as_arx_exports_it(tmp_path):
    """A hundred leaves, levels of 5, 10 and 20 years, lines end as on Windows."""
    levels = [
        [f"{a - a % w}-{a - a % w + w - 1}" for w in (5, 10, 20)] for a in range(100)
    ]
    lines = [";".join([str(a), *levels[a], "*"]) for a in range(100)]
    file = tmp_path / "age.csv"
    file.write_bytes("\r\n".join(lines).encode())
    age = Taxonomy.read(file)
    assert len(age.leaves) == 100 and len(age.labels) == 100 + 20 + 10 + 5 + 1
    for low, high, node in (("21", "33", "20-39"), ("21", "23", "20-24")):
        first, last = (np.array([age.leaves.index(leaf)]) for leaf in (low, high))
        assert age.labels[age.lowest_above(first, last)[0]] == node
    assert age.ancestors["67"] == ("65-69", "60-69", "60-79", "*")
