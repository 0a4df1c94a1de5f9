"""Optimal anonymization: the least that must be hidden, and a proof of how little.

>>> import starmin
>>> table = starmin.load_instance("hospital")
>>> result = starmin.solve(table, l=2)
>>> result.value, result.lower_bound, result.status.value
(6, 6, 'optimal')
"""

from starmin.process.working_folder import leave_out_that_of_a_module

leave_out_that_of_a_module()

# Not before: these are files, and one of that name may be in the working folder.
import re  # noqa: E402
import sys  # noqa: E402
from importlib import import_module  # noqa: E402
from pathlib import Path  # noqa: E402
from types import ModuleType  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402


class _Face(ModuleType):
    """This module: ``starmin.verify`` stays the function.

    The import of a module in the package of that name would put the package there.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
if not Path(__path__[0], "instances").is_dir():
    # A checkout on a system without links: the packages stand beside this one.
    __path__.append(str(Path(__path__[0]).parent))

if TYPE_CHECKING:
    from starmin.auditing import audit as audit
    from starmin.extensions import instance_names as instance_names
    from starmin.extensions import load_instance as load_instance
    from starmin.extensions import register as register
    from starmin.face import bound as bound
    from starmin.face import methods as methods
    from starmin.face import solve as solve
    from starmin.face import verify as verify
    from starmin.frames.anonymization import Anonymization as Anonymization
    from starmin.frames.anonymize import anonymize as anonymize
    from starmin.frames.anonymizer import Anonymizer as Anonymizer
    from starmin.frames.compare import compare as compare
    from starmin.frames.proof import Proof as Proof
    from starmin.frames.proof import check_certificate as check_certificate
    from starmin.frontiers.trace import frontier as frontier
    from starmin.instances import STARS as STARS
    from starmin.instances import TUPLES as TUPLES
    from starmin.instances import Beside as Beside
    from starmin.instances import Certificate as Certificate
    from starmin.instances import Combinations as Combinations
    from starmin.instances import CutRule as CutRule
    from starmin.instances import DateRule as DateRule
    from starmin.instances import DeletedRows as DeletedRows
    from starmin.instances import DistinctDiversity as DistinctDiversity
    from starmin.instances import EntropyDiversity as EntropyDiversity
    from starmin.instances import GeneralizedRelease as GeneralizedRelease
    from starmin.instances import GroupStats as GroupStats
    from starmin.instances import HierarchyRule as HierarchyRule
    from starmin.instances import KAnonymity as KAnonymity
    from starmin.instances import Labels as Labels
    from starmin.instances import LDiversity as LDiversity
    from starmin.instances import Limit as Limit
    from starmin.instances import MaxShare as MaxShare
    from starmin.instances import NonHomogeneousRelease as NonHomogeneousRelease
    from starmin.instances import NotSupportedError as NotSupportedError
    from starmin.instances import Objective as Objective
    from starmin.instances import Partition as Partition
    from starmin.instances import PermutedRelease as PermutedRelease
    from starmin.instances import PerRowK as PerRowK
    from starmin.instances import Persons as Persons
    from starmin.instances import PrefixRule as PrefixRule
    from starmin.instances import Progress as Progress
    from starmin.instances import RangeRule as RangeRule
    from starmin.instances import Read as Read
    from starmin.instances import RecursiveDiversity as RecursiveDiversity
    from starmin.instances import Release as Release
    from starmin.instances import Requirement as Requirement
    from starmin.instances import Result as Result
    from starmin.instances import Rules as Rules
    from starmin.instances import Run as Run
    from starmin.instances import Scales as Scales
    from starmin.instances import Status as Status
    from starmin.instances import Table as Table
    from starmin.instances import TableError as TableError
    from starmin.instances import Taxonomy as Taxonomy
    from starmin.instances import TCloseness as TCloseness
    from starmin.instances import as_sets as as_sets
    from starmin.instances import date_taxonomy as date_taxonomy
    from starmin.instances import from_frame as from_frame
    from starmin.instances import hierarchy_rule as hierarchy_rule
    from starmin.instances import infer_taxonomy as infer_taxonomy
    from starmin.instances import least_diversity as least_diversity
    from starmin.instances import least_size as least_size
    from starmin.instances import prefix_taxonomy as prefix_taxonomy
    from starmin.instances import range_taxonomy as range_taxonomy
    from starmin.instances import read_file as read_file
    from starmin.instances import read_labels as read_labels
    from starmin.instances import read_table as read_table
    from starmin.instances import to_frame as to_frame
    from starmin.instances import write_table as write_table
    from starmin.instances.runs.method import Method as Method
    from starmin.process.faults import InternalError as InternalError
    from starmin.questions import Question as Question
    from starmin.questions import question as question
    from starmin.risks import risk as risk
    from starmin.solving import Solution as Solution

# Where each name is, as it is told above; a file is imported when one is asked for.
_TOLD = re.compile(r"    from (starmin\.\S+) import (\w+) as \2")
_HOMES = {name: home for home, name in _TOLD.findall(Path(__file__).read_text("utf-8"))}
__all__ = sorted(_HOMES, key=lambda name: (not name.isupper(), name))


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("starmin")
    if name not in _HOMES:
        raise AttributeError(f"module 'starmin' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    if package := sys.modules.get(f"{__name__}.{name}"):
        # ``import starmin.verify.brute_force as b`` looks for it in the function.
        modules = vars(package).items()
        vars(found).update({k: v for k, v in modules if isinstance(v, ModuleType)})
    return found


def __dir__() -> list[str]:
    return __all__
