"""Add what other packages bring to methods, requirements and instances; name instances.

A package names them as entry points, and is found where it is installed; or it calls
``register``. What it adds is used as ours is, wherever it is named; ``auto`` leaves
methods of others alone, so that what it claims rests on what is proven or tested here.
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import TypeAlias

from starmin.instances import Table
from starmin.instances.catalogue import catalogue as tables
from starmin.instances.catalogue.catalogue import INSTANCES, Instance
from starmin.instances.errors import NotSupportedError
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.requirements.requirements import REQUIREMENTS, options
from starmin.instances.runs.method import Method

Registered: TypeAlias = Method | type[Requirement] | Instance

GROUPS = ("starmin.methods", "starmin.requirements", "starmin.instances")
OTHER_INSTANCES: dict[str, Instance] = {}
_begun = False


def register(*things: Registered) -> None:
    """Add methods, requirements and instances for the rest of this process.

    From then on they are named, listed, called and compared as those of starmin. A
    release that a method finds is recounted and checked. Its bounds are taken as they
    are, and told as the word of its package wherever no certificate proves them.
    Processes that are started later, as by ``gap``, know what is installed with an
    entry point, in one of the groups ``starmin.methods``, ``starmin.requirements`` and
    ``starmin.instances``; `starmin.testing` has tests for all three.

    Parameters
    ----------
    things
        A ``Method`` whose function is a method's; a class of requirements with its
        options; an ``Instance`` or a ``HardInstance`` (of a reduction).

    Raises
    ------
    TypeError
        It is none of these.
    ValueError
        The name is taken; nothing of the call is added after it.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Table
    >>> from starmin.instances.catalogue.catalogue import Instance
    >>> def pair() -> Table:
    ...     return Table.from_rows(["age"], [["30"], ["31"]], qi=["age"])
    >>> register(Instance("pair", "2 people", "this page", pair, KAnonymity(2)))
    >>> OTHER_INSTANCES.pop("pair").load().n
    2
    """
    for thing in things:
        if isinstance(thing, Method):
            from starmin.registry import add

            add(thing)
        elif isinstance(thing, Instance):
            _add_instance(thing)
        elif isinstance(thing, type) and issubclass(thing, Requirement):
            _add_requirement(thing)
        else:
            raise TypeError(
                "Expected a Method, a class of requirements or an Instance, "
                f"got {thing!r}."
            )


def register_installed() -> None:
    """Add what installed packages declare, once in a process.

    A method is called as its entry point is, whatever its module and function are.
    Raises NotSupportedError where what a package declares cannot be imported or added;
    the line names it.
    """
    global _begun
    if _begun:
        return
    _begun = True  # before it is done: a package may ask, too, while it is imported
    declared = entry_points()  # one look at all packages, which takes a while
    for group in GROUPS:
        for entry in declared.select(group=group):
            try:
                _add_entry(entry)
            except NotSupportedError:
                _begun = False  # whoever asks again, in a fork say, is told, too
                raise


def _add_entry(entry: EntryPoint) -> None:
    try:
        thing = entry.load()
        if isinstance(thing, Method) and thing.name != entry.name:
            thing = replace(thing, called=entry.name)
        register(thing)
    except Exception as error:
        package = entry.dist.name if entry.dist is not None else "a package"
        reason = str(error).partition("\n")[0]
        raise NotSupportedError(
            f"{package} declares {entry.group}: {entry.name} = {entry.value}, which "
            f"cannot be used: {reason}. Mend or uninstall {package}."
        ) from error


def _add_requirement(kind: type[Requirement]) -> None:
    if kind in REQUIREMENTS:
        return
    if kind.name and kind.name in (known.name for known in REQUIREMENTS):
        raise ValueError(f"there is a requirement {kind.name} already")
    for option in kind.options:
        for known in options():
            if option.name == known.name and option != known:
                raise ValueError(f"there is an option {option.flag} already")
    REQUIREMENTS.append(kind)


def _add_instance(instance: Instance) -> None:
    from starmin.verify.reductions.hard_instances import HARD_INSTANCES

    taken = instance.name in {*INSTANCES, *HARD_INSTANCES}
    if taken or OTHER_INSTANCES.setdefault(instance.name, instance) != instance:
        raise ValueError(f"there is an instance {instance.name} already")


# All instances by name: tables of papers and people, generated, of reductions.


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
