"""The cases of ``generalization``: tables, requirements, limits; what others do."""

from dataclasses import dataclass
from pathlib import Path

from gaps import FIVE, NIST
from solve_cases import command

from starmin import read_table

NINE = (
    "age,sex,education,marital_status,race,class_of_worker,birth_self,occupation_code,"
    "industry_code"
)
OTHER_COLUMNS = (
    *("sex", "race", "marital-status", "education", "native-country"),
    *("workclass", "occupation"),
)
ADULT, RANGES, CARDS = "Adult", "Adult, age by ranges", "credit card"
LEVELS, KDD, ACS = "Adult, 9 columns, 1 - granularity", "census, 9 columns", "NIST"
SMALL, MATCHED = "Adult, 5 columns", "census 100,000, non-homogeneous"
CENSUS = "instance:census:n=100000,sensitive=none"
# Of a table its file, its columns, and by column how its hierarchy is built.
BUILT = {
    KDD: (
        "census_kdd_9.csv.gz",
        NINE,
        {
            "age": ["--ranges", "5,10,20,40"],
            "occupation_code": ["--infer"],
            "industry_code": ["--infer"],
        },
    ),
    ACS: (
        "nist_acs_national2019.csv",
        NIST,
        {
            "AGEP": ["--ranges", "5,10,20,40"],
            **{
                column: ["--infer", "--missing", "N"]
                for column in ("NOC", "NPF", "EDU", "INDP_CAT")
            },
        },
    ),
    MATCHED: (
        CENSUS,
        "",
        {column: ["--infer"] for column in ("age", "education", "occupation")},
    ),
}
# ARX 3.9.2, local recoding, best of 9 to 27 settings, in percent, and the seconds of
# the whole process; starred rows that fail the requirement repaired. Of the credit
# card data, and for one level for each column, what its authors publish, where starred
# rows need not satisfy it; the latter with other files for the same rows
# (docs/how_to/hierarchies_and_ranges.md).
ARX = {
    (ADULT, "--k 2"): (2.300, 13),
    (ADULT, "--k 5"): (5.471, 22),
    (ADULT, "--k 10"): (7.982, 25),
    (ADULT, "--k 25"): (11.879, 35),
    (ADULT, "--l 2"): (5.968, None),
    (ADULT, "--l 4"): (22.58, None),
    (RANGES, "--k 2"): (2.06, None),
    (RANGES, "--k 5"): (5.32, None),
    (RANGES, "--k 10"): (7.94, None),
    (RANGES, "--k 25"): (12.07, None),
    (CARDS, "--k 5"): (54.88, 211),
    (LEVELS, "--k 5"): (27.038, None),
}


@dataclass(frozen=True)
class Case:
    """A table anonymized once.

    Adult has eight columns for k; for l the occupation is sensitive. The loss of credit
    card data is one minus granularity.

    Attributes
    ----------
    table, requirement
        What is anonymized.
    seconds
        The time limit.
    method
        With which method.
    """

    table: str
    requirement: str
    seconds: int
    method: str = "auto"

    @property
    def name(self) -> str:
        """What tells it from the others."""
        name = f"{self.table}|{self.requirement}|{self.seconds}"
        return name if self.method == "auto" else f"{name}|{self.method}"

    def problem(self, data: Path, folder: Path) -> tuple[str, list[str]]:
        """Return the file of the table, and the options that say what is asked."""
        recoding = "nonhomogeneous" if self.table == MATCHED else "generalization"
        asked = [*self.requirement.split(), "--recoding", recoding]
        if self.table == CARDS:
            files = data / "arx_benchmark"
            asked += ["--loss", "granularity", "--hierarchy", f"{files}/hierarchies"]
            return str(files / "creditcard.csv.gz"), asked
        if self.table in BUILT:
            return self._built(data, folder, asked)
        table, trees = data / "adult.csv", data / "hierarchies"
        if self.table == LEVELS:
            asked += ["--loss", "granularity"]
        elif self.table == SMALL:
            asked += ["--qi", FIVE, "--drop", _others(str(table), FIVE)]
        else:
            asked += ["--drop", "salary-class"]
        asked += ["--hierarchy", str(trees / "adult_hierarchy_{column}.csv")]
        if self.table == RANGES:
            del asked[-2:]
            for column in OTHER_COLUMNS:
                file = trees / f"adult_hierarchy_{column}.csv"
                asked += ["--hierarchy", f"{column}={file}"]
            asked += ["--numeric", "age"]
        if self.requirement.startswith("--l"):
            asked += ["--sensitive", "occupation"]
        return str(table), asked

    def _built(
        self, data: Path, folder: Path, asked: list[str]
    ) -> tuple[str, list[str]]:
        """Build the hierarchies of a table first."""
        file, qi, build = BUILT[self.table]
        table = file if file.startswith("instance:") else str(data / file)
        if qi:
            asked += ["--qi", qi, "--drop", _others(table, qi)]
        for column, how in build.items():
            out = folder / f"{column}.csv"
            command(["hierarchy", table, column, *how, "--out", str(out)])
            asked += ["--hierarchy", f"{column}={out}"]
            if "--missing" in how and "--missing" not in asked:
                asked += how[-2:]
        return table, asked


def _others(table: str, qi: str) -> str:
    """The columns of a table that are not among these."""
    return ",".join(c for c in read_table(table).names if c not in qi.split(","))


ADULT_ASKED = (*(f"--k {k}" for k in (2, 5, 10, 25)), *(f"--l {l}" for l in (2, 4)))
CASES = (
    *(Case(ADULT, asked, limit) for limit in (10, 60, 600) for asked in ADULT_ASKED),
    *(
        Case(RANGES, asked, limit)
        for limit in (10, 60, 600)
        for asked in ADULT_ASKED[:4]
    ),
    *(Case(CARDS, "--k 5", limit) for limit in (10, 60, 211, 600)),
    *(Case(table, "--k 5", limit) for table in (KDD, ACS) for limit in (60, 600)),
    *(Case(LEVELS, "--k 5", 60, method) for method in ("full_domain", "incognito")),
    *(Case(MATCHED, f"--k {k}", 60) for k in (3, 10)),
    *(Case(SMALL, "--k 5", 300, method) for method in ("auto", "pattern_ilp")),
)
