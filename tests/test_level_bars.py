"""Tests that the report tells what generalized cells are published as."""

import numpy as np

from starmin.inputs.recoding_options import parse_coding
from starmin.instances import Coding, GeneralizedRelease, Partition, Release, Table
from starmin.report.release.release_figures import (
    level_bars,
    level_parts,
    node_tables,
    published_levels,
)

TREE = "pet={home{tame{cat,dog},rat},wild{fox,owl}}"
ROWS = [
    ("cat", "31", "a"),
    ("tame", "[30-40]", "*"),
    ("tame", "[30-40]", "*"),
    ("home", "?", "b"),
    ("*", "*", "b"),
    ("wild", "[1-2]", "[1-2] text"),
]


def released():
    return Table.from_rows(["pet", "age", "flat"], ROWS, qi=["pet", "age", "flat"])


def coding():
    return parse_coding("generalization", "*", "age", [TREE])


def test_cells_are_values_nodes_by_level_ranges_and_stars():
    pet, age, flat = published_levels(released(), coding())
    home = {"the value": 1, "level 1": 3, "level 2": 1, "a star": 1}
    assert pet.rows == home and list(pet.rows) == list(home)
    assert age.rows == {"the value": 2, "a range": 3, "a star": 1}
    assert flat.rows == {"the value": 4, "a star": 2}


def test_the_tree_is_told_with_the_rows_of_its_nodes():
    columns = published_levels(released(), coding())
    ((name, table),) = node_tables(columns)
    shown = [[cell.text for cell in row[:4]] for row in table.rows]
    indent = "\N{NO-BREAK SPACE}" * 3
    assert name == "pet"
    assert shown == [
        ["*", "3", "5", "1"],
        [f"{indent}home", "2", "3", "1"],
        [f"{2 * indent}tame", "1", "2", "2"],
        [f"{indent}wild", "1", "2", "1"],
        ["single values", "0", "1", "1"],
    ]


def test_the_picture_names_each_part():
    drawing = level_bars(published_levels(released(), coding()))
    assert "pet: the value 16.67 %, level 1 50 %" in drawing.alt
    for part in ("the value", "level 2", "a range", "a star", "flat"):
        assert part.encode() in drawing.svg


def test_a_page_has_it_of_generalization_alone():
    table = Table.from_rows(["pet"], [["cat"], ["dog"], ["fox"], ["owl"]], qi=["pet"])
    pairs = Partition(np.array([0, 0, 1, 1], np.int32))
    told = parse_coding("generalization", "*", None, [TREE])
    release = GeneralizedRelease(table, pairs, told.scales(table))
    assert level_parts(release, told)["levels"].alt.endswith("pet: level 1 100 %.")
    nothing = {"levels": None, "nodes": []}
    assert level_parts(Release(table, pairs), Coding()) == nothing
