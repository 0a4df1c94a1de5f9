"""The instances that come with starmin, by name.

An instance is named ``NAME`` or, if it is generated, ``NAME:key=value,key=value``:
``hospital``, ``census``, ``census:n=100000,seed=1``. Parameters that are not named
keep their defaults. Equal seeds give equal tables everywhere.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import numpy as np

from starmin.instances.arguments import expect_kind, nearest
from starmin.instances.arrays import Ints
from starmin.instances.catalogue import generators
from starmin.instances.errors import TableError
from starmin.instances.requirements.diversity import LDiversity
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.tables import random_orders
from starmin.instances.tables.table import Table

# A seeded public health table: cases of an illness, as agencies publish them.

# Of each column its name, its values, and how frequent these are.
_CASES: tuple[tuple[str, tuple[str, ...], tuple[int, ...]], ...] = (
    (
        "county",
        tuple(f"county {number:02}" for number in range(1, 13)),
        tuple(4096 >> number for number in range(12)),
    ),
    (
        "reported",
        tuple(f"2024-{month:02}" for month in range(1, 13)),
        (9, 7, 4, 3, 2, 2, 3, 3, 4, 6, 8, 9),
    ),
    ("age", ("0-17", "18-49", "50-64", "65+"), (15, 45, 22, 18)),
    ("sex", ("female", "male"), (52, 48)),
    (
        "race",
        ("White", "Black", "Asian", "American Indian", "Pacific Islander", "Multiple"),
        (700, 150, 80, 25, 10, 35),
    ),
    ("ethnicity", ("not Hispanic", "Hispanic"), (85, 15)),
    ("hospital", ("no", "yes", "unknown"), (60, 15, 25)),
    ("died", ("no", "yes"), (97, 3)),
)


def cases(n: int = 5000, seed: int = 0) -> Table:
    """Generate cases of an illness: where, when, who, and how they ended.

    Twelve counties, each with half as many cases as the one before; months, age groups,
    sex, race, ethnicity; in hospital or not, dead or not, both of which are more
    frequent among the old.

    >>> table = cases(1000, seed=1)
    >>> table.d, table.dictionary("sex")
    (8, ('female', 'male'))
    """
    random_orders.expect("n", n, 1, random_orders.MOST_ROWS)
    bits = random_orders.Bits(seed)
    names, values, frequent = zip(*_CASES, strict=True)
    codes = np.empty((len(names), n), np.int32)
    for j, weights in enumerate(frequent):
        codes[j] = random_orders.wheel(np.array(weights, np.int64))[bits.draw(n)]
    age = names.index("age")
    old: Ints = np.flatnonzero(codes[age] == len(values[age]) - 1)
    for name, weights in (("hospital", (35, 45, 20)), ("died", (85, 15))):
        worse = random_orders.wheel(np.array(weights, np.int64))
        codes[names.index(name), old] = worse[bits.draw(len(old))]
    return Table(names, codes, values, names, name="cases")


# A seeded table whose sensitive value depends, more or less, on the other columns.

_COEFFICIENTS = (1, 3, 7, 9)  # each digit decides
_DIGITS = tuple(map(str, range(10)))


def correlated(n: int = 1000, correlation: int = 50, seed: int = 0) -> Table:
    r"""Generate a table of digits, the sensitive one in part a sum of the others.

    The four QI columns are independent and uniform; the sensitive value is

    .. math:: s = (A_1 + 3 A_2 + 7 A_3 + 9 A_4) \bmod 10

    in ``correlation`` per cent of the rows, from 0 to 100, and a random digit in the
    others. The more it is, the farther apart are rows of different values. For other
    correlations only sensitive values differ.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009, section
    7.2, where the coefficients are not named.

    Examples
    --------
    >>> table = correlated(1000, correlation=100)
    >>> table.d, len(table.sensitive_types) == len(table.row_types)
    (4, True)
    """
    random_orders.expect("n", n, 1, random_orders.MOST_ROWS)
    random_orders.expect("correlation", correlation, 0, 100)
    bits, digits = random_orders.Bits(seed), random_orders.even_wheel(10)
    codes = np.empty((5, n), np.int32)
    codes[4] = 0
    for j, coefficient in enumerate(_COEFFICIENTS):
        codes[j] = digits[bits.draw(n)]
        codes[4] += coefficient * codes[j]
    codes[4] %= 10
    free = bits.draw(n) >= np.uint32(correlation * random_orders.SLOTS // 100)
    codes[4] = np.where(free, digits[bits.draw(n)], codes[4])
    qi = ("q1", "q2", "q3", "q4")
    return Table((*qi, "s"), codes, (_DIGITS,) * 5, qi, ("s",), "correlated")


# Small tables of the literature.


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


@dataclass(frozen=True)
class Instance:
    """A named table, where it comes from, and a requirement to try on it."""

    name: str  # name, description: for lists
    description: str
    source: str  # the publication it is from
    # makes the table; its arguments, whole numbers or text, are the parameters
    make: Callable[..., Table]
    requirement: Requirement  # what an example asks of it
    # makes some of the rows of a generated table: its first arguments are the first row
    # and the one after the last, the others the parameters
    part: Callable[..., Table] | None = field(default=None, kw_only=True)

    @property
    def parameters(self) -> Mapping[str, int | str]:
        """Its parameters with their defaults; none for a fixed table."""
        arguments = inspect.signature(self.make).parameters.values()
        return {argument.name: argument.default for argument in arguments}

    def load(self, settings: str = "") -> Table:
        """Make the table with settings ``key=value,key=value``.

        Raises TableError where a setting is not a parameter, or its value is out of
        range.
        """
        return self.make(**self.given(settings))

    def given(self, settings: str) -> dict[str, int | str]:
        """Return the parameters that settings ``key=value,key=value`` name.

        Raises TableError where a setting is not a parameter, or is no number.
        """
        known = self.parameters
        given: dict[str, int | str] = {}
        for setting in filter(None, settings.split(",")):
            key, _, value = setting.partition("=")
            if key not in known:
                has = ", ".join(known) or "none"
                raise TableError(
                    f"no parameter {key!r}{nearest(key, known)}; {self.name} has: {has}"
                )
            if key in given:
                raise TableError(f"parameter {key} is given twice")
            given[key] = value
            if isinstance(known[key], int):
                try:
                    given[key] = int(value)
                except ValueError:
                    raise TableError(
                        f"Expected a whole number for {key}, got {value!r}."
                    ) from None
        return given


def load_instance(name: str, catalogue: Mapping[str, Instance] | None = None) -> Table:
    """Load the table of an instance; the table's name is ``instance:NAME``.

    It is called ``NAME`` or ``NAME:key=value,key=value``, and looked up in
    ``catalogue``; default: ``INSTANCES``. Raises TableError: no such instance or
    parameter, or a data package is not installed.

    Examples
    --------
    >>> load_instance("hospital").n
    10
    >>> load_instance("uniform:n=20,d=3,seed=1").name
    'instance:uniform:n=20,d=3,seed=1'
    """
    expect_kind("name", name, str)
    known = INSTANCES if catalogue is None else catalogue
    base, _, settings = name.partition(":")
    if base not in known:
        names = ", ".join(known)
        raise TableError(
            f"instance:{name}: no such instance{nearest(base, known)}; "
            f"there are: {names}"
        )
    try:
        table = known[base].load(settings)
    except TableError as error:
        raise TableError(f"instance:{name}: {error}") from None
    return replace(table, name=f"instance:{name}")


def instance_parts(
    name: str, rows: int, catalogue: Mapping[str, Instance] | None = None
) -> Iterator[Table]:
    """Generate the table of an instance part after part; or at once, if it has none.

    ``name`` is ``NAME`` or ``NAME:key=value,key=value``, looked up in ``INSTANCES`` by
    default; ``rows``, those of a part, is a multiple of 4.

    >>> [part.n for part in instance_parts("census:n=10", 4)]
    [4, 4, 2]
    """
    base, _, settings = name.partition(":")
    known = INSTANCES if catalogue is None else catalogue
    instance = known.get(base)
    if instance is None or instance.part is None:
        yield load_instance(name, catalogue)
        return
    try:
        given = {**instance.parameters, **instance.given(settings)}
        total = int(given["n"])
        for start in range(0, max(1, total), rows):
            yield instance.part(start, min(total, start + rows), **given)
    except TableError as error:
        raise TableError(f"instance:{name}: {error}") from None


def mortgages() -> Table:
    """Men of the 1960 census of the United States, from the package ``causaldata``.

    Its last column, ``qob_minus_kw``, is computed from the quarter of birth and is
    left out.
    """
    path = _package_file("causaldata", "mortgages/fetter_mortgages.csv")
    from starmin.instances.io.read import read_table  # to name them needs no Arrow

    return read_table(path, drop=["qob_minus_kw"])


def _package_file(package: str, file: str) -> Path:
    """Find a data file of a package without importing the package."""
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        if (path := Path(folder, file)).is_file():
            return path
    raise TableError(
        f"its data are in the package {package}, which is not installed; "
        "run pip install 'starmin[data]'"
    )


_XIAO_YI_TAO = (
    "X. Xiao, K. Yi, Y. Tao: The Hardness and Approximation Algorithms for "
    "L-Diversity, EDBT 2010"
)

_INSTANCES = (
    Instance(
        "hospital",
        "10 patients, disease sensitive",
        f"{_XIAO_YI_TAO}, Table 1",
        hospital,
        LDiversity(2),
    ),
    Instance(
        "chakaravarthy-figure-1",
        "4 rows by 3 columns",
        "V. T. Chakaravarthy, V. Pandit, Y. Sabharwal: On the Complexity of "
        "the k-Anonymization Problem, 2010, Figure 1",
        chakaravarthy_figure_1,
        KAnonymity(2),
    ),
    Instance(
        "murakami-uno",
        "7 people, the zip code as five columns, income sensitive",
        "K. Murakami, T. Uno: Optimization Algorithm for k-Anonymization of "
        "Datasets with Low Information Loss, Int. J. Inf. Secur. 2018, Table 3",
        murakami_uno,
        KAnonymity(2),
    ),
    Instance(
        "mortgages",
        "214,144 men of the 1960 US census (needs starmin[data])",
        "D. K. Fetter: How Do Mortgage Subsidies Affect Home Ownership?, "
        "AEJ: Economic Policy 5(2), 2013; PyPI package causaldata",
        mortgages,
        KAnonymity(5),
    ),
    Instance(
        "census",
        "generated: columns and cardinalities of the census tables SAL and OCC",
        f"{_XIAO_YI_TAO}, Table 6 (the cardinalities)",
        generators.census,
        LDiversity(4),
        part=generators.census_part,
    ),
    Instance(
        "uniform",
        "generated: independent uniform cells",
        "starmin",
        generators.uniform,
        KAnonymity(3),
    ),
    Instance(
        "clustered",
        "generated: noisy copies of a few rows",
        "starmin",
        generators.clustered,
        KAnonymity(3),
    ),
    Instance(
        "normal",
        "generated: rounded normal numbers (n, d, deviation in tenths)",
        "Murakami, Uno 2018",
        generators.normal,
        KAnonymity(3),
    ),
    Instance(
        "correlated",
        "generated: the sensitive digit depends on the others (correlation)",
        "G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis: A Framework for "
        "Efficient Data Anonymization under Privacy and Accuracy Constraints, "
        "ACM TODS 34(2), 2009, section 7.2",
        correlated,
        LDiversity(3),
    ),
    Instance(
        "survey",
        "generated: yes and no to 16 questions, by latent classes (n, d, classes)",
        "starmin",
        generators.survey,
        KAnonymity(5),
    ),
    Instance(
        "cases",
        "generated: a public health table, cases by county, month and person",
        "starmin",
        cases,
        KAnonymity(11),
    ),
    Instance(
        "hard-residue",
        "generated: TP ends in phase 2 or 3 (l, height, phase, d)",
        "starmin",
        generators.hard_residue,
        LDiversity(3),
    ),
)
INSTANCES: Mapping[str, Instance] = MappingProxyType(
    {instance.name: instance for instance in _INSTANCES}
)
