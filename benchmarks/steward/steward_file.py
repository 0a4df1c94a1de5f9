"""The file of a steward: people of the census, with what real files have as well.

Of the public sample of the American Community Survey that NIST prepared, so many rows
in a drawn order, and 23 columns: 18 of the sample, among them the weight of the person,
and a number for each row, a date, a postal code, free text and a telephone number,
which are made up. Some cells are empty.
"""

import csv
import random
from datetime import date, timedelta
from pathlib import Path

KEPT = (
    *("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NOC", "NPF", "HOUSING_TYPE"),
    *("OWN_RENT", "INDP_CAT", "EDU", "PINCP", "PINCP_DECILE", "POVPIP", "DVET"),
    *("DPHY", "PWGTP"),
)
MADE = ("record", "phone", "visit", "zip", "remark")
_GAPS = ("EDU", "MSP", "visit")  # columns with empty cells
_WORDS = (
    *("came", "again", "late", "called", "asked", "for", "the", "form", "moved"),
    *("house", "with", "two", "children", "since", "spring", "lives", "alone"),
    *("works", "nights", "will", "write", "soon", "paid", "in", "cash"),
)


def write(source: Path, path: Path, rows: int, month: int, seed: int) -> None:
    """Write the file of a month.

    Parameters
    ----------
    source, path
        The sample, and where to write.
    rows, month, seed
        How many rows, of which month of 2026, drawn by which seed.
    """
    draw = random.Random(f"{seed} {month}")
    with source.open(newline="") as file:
        people = [row for row in csv.DictReader(file) if int(row["PWGTP"]) > 0]
    first = date(2026, month, 1)
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, [*MADE, *KEPT])
        out.writeheader()
        for number, person in enumerate(draw.sample(people, rows)):
            line = {name: person[name] for name in KEPT}
            line["record"] = f"R{month:02}-{100_000 + number}"
            line["phone"] = f"555-{draw.randrange(10**7):07}"
            line["visit"] = (first + timedelta(draw.randrange(28))).isoformat()
            area = int(person["PUMA"].split("-")[1]) % 10
            line["zip"] = f"{person['PUMA'][:2]}{area}{draw.randrange(10)}0"
            line["remark"] = " ".join(draw.choices(_WORDS, k=draw.randint(4, 12)))
            for name in _GAPS:
                if draw.random() < 0.02:
                    line[name] = ""
            out.writerow(line)
