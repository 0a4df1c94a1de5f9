"""All instances by name: tables of papers and people, generated, of reductions."""

from collections.abc import Mapping

from starmin.instances import Table
from starmin.instances.catalogue import catalogue as tables
from starmin.instances.catalogue.catalogue import INSTANCES, Instance
from starmin.registry.outside import OTHER_INSTANCES, register_installed


def catalogue() -> Mapping[str, Instance]:
    """Return all instances; those of reductions are imported at this call.

    Those of other packages come last.
    """
    from starmin.verify.reductions.hard_instances import HARD_INSTANCES

    register_installed()
    return {**INSTANCES, **HARD_INSTANCES, **OTHER_INSTANCES}


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
    usual = isinstance(name, str) and name.partition(":")[0] in INSTANCES
    return tables.load_instance(name, INSTANCES if usual else catalogue())


def instance_names() -> list[str]:
    """Return the names of all instances."""
    return list(catalogue())
