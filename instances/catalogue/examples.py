"""Small tables of the literature."""

from starmin.instances.tables.table import Table


def hospital() -> Table:
    """Ten patients, the running example of the l-diversity literature."""
    return Table.from_rows(
        ["age", "gender", "education", "disease"],
        [
            ["<30", "M", "Master", "HIV"],
            ["<30", "M", "Master", "HIV"],
            ["<30", "M", "Bachelor", "pneumonia"],
            ["[30,50)", "M", "Bachelor", "bronchitis"],
            ["[30,50)", "F", "Bachelor", "pneumonia"],
            ["[30,50)", "F", "Bachelor", "bronchitis"],
            ["[30,50)", "F", "Bachelor", "bronchitis"],
            ["[30,50)", "F", "Bachelor", "pneumonia"],
            [">=50", "F", "High School", "dyspepsia"],
            [">=50", "F", "High School", "pneumonia"],
        ],
        qi=["age", "gender", "education"],
        sensitive=["disease"],
    )


def chakaravarthy_figure_1() -> Table:
    """Four rows by three columns."""
    return Table.from_rows(
        ["c1", "c2", "c3"],
        [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]],
        qi=["c1", "c2", "c3"],
    )


def murakami_uno() -> Table:
    """Seven people; each digit of the zip code can be starred alone."""
    people = [
        ("94221", "M", "US", "10,000"),
        ("94112", "F", "US", "5000"),
        ("94121", "F", "US", "1500"),
        ("94111", "M", "Canada", "3000"),
        ("94222", "M", "Canada", "30,000"),
        ("94122", "F", "UK", "20,000"),
        ("93111", "M", "Canada", "40,000"),
    ]
    qi = ["zip1", "zip2", "zip3", "zip4", "zip5", "gender", "country"]
    return Table.from_rows(
        [*qi, "income"],
        [[*digits, *rest] for digits, *rest in people],
        qi=qi,
        sensitive=["income"],
    )
