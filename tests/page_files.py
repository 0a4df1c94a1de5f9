"""Files that the pages of docs take for granted, written to the current folder."""

import random
import re
import shutil
from pathlib import Path

from starmin.instances import Table, write_table

PEOPLE = Path(__file__).parents[1] / "docs" / "tutorials" / "people.csv"


def write_files(page: str) -> None:
    """Write what the commands of a page read.

    Parameters
    ----------
    page
        The name of its file, without an ending.
    """
    shutil.copy(PEOPLE, "people.csv")
    rng = random.Random(7)
    if page == "persons":
        people = [(str(rng.randint(30, 33)), rng.choice("fm")) for _ in range(30)]
        rows = [[str(p), *people[p], rng.choice("abcdef")] for p in [*range(30)] * 2]
        names = ["patient", "age", "sex", "diagnosis"]
        visits = Table.from_rows(names, rows, ["age", "sex"])
        write_table(visits, "visits.csv")
    elif page == "risk":
        names = ["sex", "age", "zip", "ill", "weight"]
        rows = [
            [
                rng.choice("fm"),
                str(rng.randint(30, 40)),
                rng.choice("12"),
                rng.choice("ab"),
                str(rng.randint(5, 9)),
            ]
            for _ in range(40)
        ]
        write_table(Table.from_rows(names, rows, names[:3]), "people.csv")
    elif page == "combinations":
        page_path = PEOPLE.parents[1] / "how_to/combinations.md"
        texts = re.findall(r"^```text\n(.*?)^```$", page_path.read_text(), re.M | re.S)
        names = "survey.csv", "pairs.csv", "towns.csv", "cities.csv"
        for name, text in zip(names, texts, strict=False):
            Path(name).write_text(text)
    elif page == "files":
        rows = [[str(rng.randint(30, 33)), rng.choice("fm")] for _ in range(40)]
        survey = Table.from_rows(["age", "sex"], rows, qi=["age", "sex"])
        write_table(survey, "survey.sav")
