"""All instances by name: tables of papers and people, generated, of reductions."""

from collections.abc import Mapping
from types import MappingProxyType

from starmin.instances import Table
from starmin.instances.catalogue import catalogue as tables
from starmin.instances.catalogue.catalogue import INSTANCES, Instance
from starmin.verify.reductions.hard_instances import HARD_INSTANCES

CATALOGUE: Mapping[str, Instance] = MappingProxyType({**INSTANCES, **HARD_INSTANCES})


def load_instance(name: str) -> Table:
    """Return the table of an instance; the table's name is ``instance:NAME``.

    Parameters
    ----------
    name
        ``NAME`` or ``NAME:key=value,key=value``.

    Raises
    ------
    TableError
        No such instance or parameter, or a data package is not installed.

    Examples
    --------
    >>> load_instance("hospital").n, load_instance("vertex-cover:graph=k4").n
    (10, 106)
    """
    return tables.load_instance(name, CATALOGUE)


def instance_names() -> list[str]:
    """Return the names of all instances."""
    return list(CATALOGUE)
