"""Tests that no release, however damaged, breaks ``verify`` or passes wrongly."""

import csv
import io
import json
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fuzzing import damaged, starmin, tries

ORIGINAL = (
    "age,sex,ill\n30,F,flu\n30,M,gout\n41,M,flu\n41,F,cold\n7,F,flu\n"
    "7,F,gout\n30,F,cold\n41,M,gout\n"
)
TREE = "{adult{30,41},child{7}}"
STARS = (
    "30,*,flu\n30,*,gout\n41,*,flu\n41,*,cold\n7,F,flu\n7,F,gout\n*,*,cold\n*,*,gout"
)
RANGES = STARS.replace("30,*,gout", "[30-41],*,gout").replace(
    "41,*,flu", "[7-30],*,flu"
)
NODES = STARS.replace("30,*", "adult,*").replace("41,*,flu", "child,*,flu")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("fuzz"))
        Path("original.csv").write_text(ORIGINAL)
        yield


def verify(content: bytes, *words: str) -> dict | None:
    """What ``verify`` says of a release; None where it refuses the file."""
    Path("release.csv").write_bytes(content)
    line = ("verify", "release.csv", "--original", "original.csv", "--json", "--quiet")
    code, out, _ = starmin(*line, *words)
    if code == 2:
        return None
    found = json.loads(out)
    assert code == (0 if found["holds"] and found["consistent"] is not False else 1)
    return found


def rows_of(content: bytes) -> tuple[list[str], list[list[str]]]:
    """Header and rows by the ``csv`` module, blank lines and titles left out."""
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        decoded = content.decode("windows-1252", errors="replace")
    text = io.StringIO(decoded, newline="")
    header, *rows = (row for row in csv.reader(text, strict=True) if row)
    while rows and len(header) < len(rows[0]):
        header, *rows = rows
    return header, rows


def expected(content: bytes, k: int, l: int) -> tuple[bool, int]:
    """Whether k-anonymity and l-diversity hold, and the number of stars."""
    header, rows = rows_of(content)
    qi = [j for j, name in enumerate(header) if name != "ill"]
    groups = defaultdict(Counter)
    for row in rows:
        groups[tuple(row[j] for j in qi)][row[header.index("ill")]] += 1
    holds = all(
        g.total() >= k and l * max(g.values()) <= g.total() for g in groups.values()
    )
    return holds, sum(row[j] == "*" for row in rows for j in qi)


def agree(content: bytes, covers) -> bool:
    """Whether each row agrees with a row of the original, in order; some may lack."""
    header, rows = rows_of(content)
    known, originals = rows_of(ORIGINAL.encode())
    if header != known or len(rows) > len(originals):
        return False
    left = iter(originals)
    return all(any(fits(row, was, covers) for was in left) for row in rows)


def fits(row, was, covers) -> bool:
    """Whether the sensitive cell is that of the original, and the others cover."""
    return row[2] == was[2] and covers(0, row[0], was[0]) and covers(1, row[1], was[1])


def assigned(content: bytes, covers) -> bool:
    """Whether each row can be given an original of its own that it agrees with."""
    header, rows = rows_of(content)
    known, originals = rows_of(ORIGINAL.encode())
    if header != known or len(rows) > len(originals):
        return False
    pairs = networkx.Graph(
        (("now", i), ("then", j))
        for i, row in enumerate(rows)
        for j, was in enumerate(originals)
        if fits(row, was, covers)
    )
    left = {node for node in pairs if node[0] == "now"}
    matching = networkx.bipartite.maximum_matching(pairs, left)
    return len(matching) == 2 * len(rows)


def starred(_: int, cell: str, value: str) -> bool:
    return cell in ("*", value)


def ranged(j: int, cell: str, value: str) -> bool:
    if j == 0 and cell.startswith("["):
        low, high = (Decimal(end) for end in cell[1:-1].split("-"))
        return low <= Decimal(value) <= high
    if j == 0 and cell != "*":
        return Decimal(cell) == Decimal(value)
    return starred(j, cell, value)


def above(j: int, cell: str, value: str) -> bool:
    nodes = {"adult": ("30", "41"), "child": ("7",)}
    return starred(j, cell, value) or (j == 0 and value in nodes.get(cell, ()))


def check(content: bytes, k: int, l: int, covers, *words: str) -> None:
    asked = ("--k", str(k), "--l", str(l), "--sensitive", "ill")
    found = verify(content, *asked, *words)
    if found is None:
        return
    holds, stars = expected(content, k, l)
    assert (found["holds"], found["stars"]) == (holds, stars)
    told = (
        True if agree(content, covers) else None if assigned(content, covers) else False
    )
    assert found["consistent"] is told


def releases(lines: str) -> st.SearchStrategy[bytes]:
    """Releases of which some are damaged as files, others in their cells alone."""
    whole = f"age,sex,ill\n{lines}\n"
    first = sorted({line.split(",")[0] for line in lines.split("\n")})
    row = st.tuples(
        st.sampled_from(
            [*first, "30", "41", "7", "*", "[30-41]", "", "30.0", "[41-30]"]
        ),
        st.sampled_from(["F", "M", "*", ""]),
        st.sampled_from(["flu", "gout", "cold", "*"]),
    ).map(",".join)
    originals = ORIGINAL.split("\n")[1:-1]
    line = st.one_of(row, *(st.just(text) for text in lines.split("\n")))
    kept = st.lists(line, min_size=1, max_size=9)
    near = st.tuples(
        *(
            st.sampled_from([a, b])
            for a, b in zip(lines.split("\n"), originals, strict=True)
        )
    )
    cells = st.one_of(kept, near).map(
        lambda x: ("age,sex,ill\n" + "\n".join(x)).encode()
    )
    return st.one_of(damaged(whole.encode()), cells)


@tries(25)
@given(releases(STARS), st.integers(2, 4), st.integers(2, 3))
def test_stars(content, k, l):
    check(content, k, l, starred)


@tries(25)
@given(releases(RANGES), st.integers(2, 3), st.integers(2, 3))
def test_ranges(content, k, l):
    check(content, k, l, ranged, "--numeric", "age")


@tries(25)
@given(releases(NODES), st.integers(2, 3), st.integers(2, 3))
def test_nodes(content, k, l):
    check(content, k, l, above, "--hierarchy", f"age={TREE}")


@tries(25)
@given(releases(STARS), st.integers(2, 4))
def test_rows_with_stars_of_their_own(content, k):
    found = verify(
        content, "--drop", "ill", "--k", str(k), "--recoding", "nonhomogeneous"
    )
    if found is None:
        return
    header, rows = rows_of(content)
    _, originals = rows_of(ORIGINAL.encode())
    qi = [j for j, name in enumerate(header) if name != "ill"]
    if [header[j] for j in qi] == ["age", "sex"] and len(rows) == len(originals):
        assert found["holds"] == regular(rows, originals, qi, k)
    else:
        assert not found["consistent"]


def regular(rows, originals, qi, k) -> bool:
    """Whether a k-regular graph joins released rows to originals: by its flow."""
    graph = networkx.DiGraph()
    for i, row in enumerate(rows):
        graph.add_edge("from", ("row", i), capacity=k)
        graph.add_edge(("was", i), "to", capacity=k)
        for j, was in enumerate(originals):
            if all(row[c] in ("*", was[c]) for c in qi):
                graph.add_edge(("row", i), ("was", j), capacity=1)
    return networkx.maximum_flow_value(graph, "from", "to") == k * len(rows)


PUBLIC = "age,sex,group\n30,F,1\n30,M,1\n41,M,2\n41,F,2\n7,F,3\n7,F,3\n30,F,4\n41,M,4\n"
DEALT = (
    "group,ill,count\n1,flu,1\n1,gout,1\n2,cold,1\n2,flu,1\n3,flu,1\n3,gout,1\n"
    "4,cold,1\n4,gout,1\n"
)


@tries(25)
@given(
    st.one_of(st.just(PUBLIC.encode()), damaged(PUBLIC.encode())),
    st.one_of(st.just(DEALT.encode()), damaged(DEALT.encode())),
)
def test_permutations(public, dealt):
    Path("release.sa.csv").write_bytes(dealt)
    found = verify(
        public, "--sensitive", "ill", "--l", "2", "--recoding", "permutation"
    )
    if found is None:
        return
    header, rows = rows_of(public)
    names, lines = rows_of(dealt)
    label, value, count = (names.index(n) for n in ("group", "ill", "count"))
    groups = defaultdict(Counter)
    for line in lines:
        groups[line[label]][line[value]] += int(line[count])
    sizes = Counter(row[header.index("group")] for row in rows)
    assert sizes == Counter({g: c.total() for g, c in groups.items()})
    assert found["holds"] == all(
        2 * max(c.values()) <= c.total() for c in groups.values()
    )
    if found["consistent"]:
        _, originals = rows_of(ORIGINAL.encode())
        held = defaultdict(Counter)
        for row, was in zip(rows, originals, strict=True):
            assert [row[header.index(n)] for n in ("age", "sex")] == was[:2]
            held[row[header.index("group")]][was[2]] += 1
        assert {g: +c for g, c in groups.items()} == dict(held)


@tries(25)
@given(releases(STARS))
def test_starts(content):
    Path("start.csv").write_bytes(content)
    line = (
        "solve original.csv --sensitive ill --l 2 --method local_search --json --quiet"
    )
    asked = ("--initial", "start.csv", "--time-limit", "0.2", "--out", "out.csv")
    code, _, _ = starmin(*line.split(), *asked)
    if code == 0:
        out = Path("out.csv").read_bytes()
        assert expected(out, 1, 2)[0] and agree(out, starred)
