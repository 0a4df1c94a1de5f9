"""The instances that come with starmin, by name.

An instance is named ``NAME`` or, if it is generated, ``NAME:key=value,key=value``:
``hospital``, ``census``, ``census:n=100000,seed=1``. Parameters that are not named
keep their defaults.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from starmin.instances.arguments import expect_kind, nearest
from starmin.instances.catalogue.cases import cases
from starmin.instances.catalogue.census import census, census_part
from starmin.instances.catalogue.correlated import correlated
from starmin.instances.catalogue.examples import (
    chakaravarthy_figure_1,
    hospital,
    murakami_uno,
)
from starmin.instances.catalogue.generators import clustered, normal, uniform
from starmin.instances.catalogue.generators_adversarial import hard_residue
from starmin.instances.catalogue.survey import survey
from starmin.instances.errors import TableError
from starmin.instances.requirements.diversity.frequency_diversity import LDiversity
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import (
    Requirement,
)
from starmin.instances.tables.table import Table


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
                given[key] = _whole_number(key, value)
        return given


def load_instance(name: str, catalogue: Mapping[str, Instance] | None = None) -> Table:
    """Load the table of an instance; the table's name is ``instance:NAME``.

    Parameters
    ----------
    name
        ``NAME`` or ``NAME:key=value,key=value``.
    catalogue
        Where to look it up; default: ``INSTANCES``.

    Raises
    ------
    TableError
        No such instance or parameter, or a data package is not installed.

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

    Examples
    --------
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


def instance_names() -> list[str]:
    """List the names of all instances."""
    return list(INSTANCES)


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


def _whole_number(key: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise TableError(f"Expected a whole number for {key}, got {value!r}.") from None


_XIAO_YI_TAO = (
    "X. Xiao, K. Yi, Y. Tao: The Hardness and Approximation Algorithms for "
    "L-Diversity, EDBT 2010"
)

INSTANCES: Mapping[str, Instance] = MappingProxyType(
    {
        instance.name: instance
        for instance in (
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
                census,
                LDiversity(4),
                part=census_part,
            ),
            Instance(
                "uniform",
                "generated: independent uniform cells",
                "starmin",
                uniform,
                KAnonymity(3),
            ),
            Instance(
                "clustered",
                "generated: noisy copies of a few rows",
                "starmin",
                clustered,
                KAnonymity(3),
            ),
            Instance(
                "normal",
                "generated: rounded normal numbers (n, d, deviation in tenths)",
                "Murakami, Uno 2018",
                normal,
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
                "generated: yes and no to 16 questions, by latent classes (n, d, "
                "classes)",
                "starmin",
                survey,
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
                hard_residue,
                LDiversity(3),
            ),
        )
    }
)
