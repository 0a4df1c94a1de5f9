"""The objectives that there are: a new one is one declaration and one entry here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ObjectiveName = Literal["stars", "tuples", "gcp"]


@dataclass(frozen=True)
class ObjectiveKind:
    """What an objective counts of a row that is published.

    A row pays the sum of what each of its columns costs, and no more than a cap.
    """

    # of the objective, as options, results and certificates name it
    name: ObjectiveName
    help: str  # what is minimised, as options say it
    # whether a column costs what its node loses, a range or a node of a taxonomy; else
    # it costs its weight where it is starred
    by_node: bool
    cap: int | None  # what a row pays at most; None: there is no cap
    weighted: bool  # whether columns may have weights other than 1
    unit: str  # what is counted, in reports
    # what, lost, less: in sentences: what a share is of, what becomes of that, and what
    # no release does
    what: str
    lost: str
    less: str
    share: str  # what the share is of, in figures
    weighted_lost: str = ""  # what becomes of cells that are counted by weights


_DECLARED = (
    ObjectiveKind(
        "stars",
        "stars",
        by_node=False,
        cap=None,
        weighted=True,
        unit="stars",
        what="of the cells",
        lost="are hidden",
        less="hides fewer",
        share="the cells hidden",
        weighted_lost="are hidden",
    ),
    ObjectiveKind(
        "tuples",
        "tuples, the rows with a hidden cell",
        by_node=False,
        cap=1,
        weighted=False,
        unit="rows with a hidden cell",
        what="of the rows",
        lost="have a hidden cell",
        less="has fewer of them",
        share="the rows with a hidden cell",
    ),
    ObjectiveKind(
        "gcp",
        "gcp, the mean loss of information in a cell",
        by_node=True,
        cap=None,
        weighted=True,
        unit="mean loss",
        what="of the detail",
        lost="is lost",
        less="loses less",
        share="the detail lost",
        weighted_lost="are lost",
    ),
)
OBJECTIVES: Mapping[str, ObjectiveKind] = {kind.name: kind for kind in _DECLARED}

# What methods take, as they declare it. A cap that a method does not know it refuses.
ANY_OBJECTIVE = tuple(OBJECTIVES)
BY_STARS = tuple(kind.name for kind in _DECLARED if not kind.by_node)
