"""The requirements that there are: a new one is one file and one entry here.

Those of other packages are added by ``starmin.register``.
"""

from starmin.instances.option import Option
from starmin.instances.requirements.closeness.hierarchical_closeness import (
    HierarchicalCloseness,
)
from starmin.instances.requirements.closeness.t_closeness import TCloseness
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.diversity.distinct_diversity import (
    DistinctDiversity,
)
from starmin.instances.requirements.diversity.entropy_diversity import EntropyDiversity
from starmin.instances.requirements.diversity.frequency_diversity import LDiversity
from starmin.instances.requirements.diversity.recursive_diversity import (
    RecursiveDiversity,
)
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.max_share import MaxShare
from starmin.instances.requirements.measure import Measure
from starmin.instances.requirements.missing_values import MissingValues
from starmin.instances.requirements.per_row import PerRowK
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.requirements.rules.office_rules import Combinations, Rules
from starmin.instances.requirements.within import Within

# In this order they are asked, and what they change of others is changed.
REQUIREMENTS: list[type[Requirement]] = [
    KAnonymity,
    LDiversity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    MaxShare,
    TCloseness,
    HierarchicalCloseness,
    PerRowK,
    Rules,
    Combinations,
    MissingValues,
    Persons,
    Within,
    DeletedRows,
]


def options() -> tuple[Option, ...]:
    """Return the options of all requirements.

    Examples
    --------
    >>> [option.name for option in options()][:5]
    ['k', 'l', 'diversity', 'c', 'alpha']
    """
    each = [option for kind in REQUIREMENTS for option in kind.options]
    return tuple(dict.fromkeys(each))


def measures() -> dict[Measure, type[Requirement]]:
    """Return what is measured of releases, and the first class that measures it.

    Examples
    --------
    >>> [measure.key for measure in measures()]
    ['k', 'l', 'distinct_l', 'entropy_l', 't']
    """
    found: dict[Measure, type[Requirement]] = {}
    for kind in REQUIREMENTS:
        if kind.measure is not None:
            found.setdefault(kind.measure, kind)
    return found
