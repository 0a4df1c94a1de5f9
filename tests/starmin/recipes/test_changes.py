"""What is otherwise than in the table of another month."""

from starmin.instances import Table
from starmin.recipes.changes import changes


def test_a_missing_cell_and_an_empty_one_count_together():
    both = [["a"]] * 200 + [[None]] * 100 + [[""]] * 100
    june, july = (
        Table.from_rows(["town"], rows, ["town"])
        for rows in (both, [["a"]] * 200 + [[None]] * 200)
    )
    assert {None, ""} <= {*june.dictionary("town")}
    assert changes(july, june) == []
