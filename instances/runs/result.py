"""What a method returns: the best release found and what was proven of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Generic

from typing_extensions import TypeVar

from starmin.instances.releases.mask import Mask
from starmin.instances.releases.nonhomogeneous_release import NonHomogeneous
from starmin.instances.releases.partition import Partition
from starmin.instances.runs.certificate import Certificate

# What a method finds: a partition, unless its recoding is the non-homogeneous one or
# rules over combinations are asked for.
Best = TypeVar("Best", bound=Partition | NonHomogeneous | Mask, default=Partition)

# A loss is proven where its gap is no larger; stars and tuples are proven exactly.
TOLERANCE = 1e-6


class Status(Enum):
    """What was proven."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


class Limit(Enum):
    """Why a method stopped before it was done."""

    TIME = "time"
    ITERATIONS = "iterations"
    INTERRUPTED = "interrupted"
    MEMORY = "memory"
    GAP = "gap"
    PATIENCE = "patience"
    CALLBACK = "callback"
    WORK = "work"


@dataclass(frozen=True, eq=False)
class Result(Generic[Best]):
    """The outcome of a method; status and gap follow from value and bound.

    Both are in whole units; ``starmin.Solution`` says losses as shares.

    Attributes
    ----------
    best, value
        What to publish, and its cost, recounted from the table: an integer. None: a
        bound, or an infeasible table.
    lower_bound, bound_method
        No release costs less: an integer, or None where nothing was proven; and what
        proved it.
    runtime
        Wall-clock seconds.
    limit, reason
        Why it stopped early, and why the table is infeasible, or None.
    certificate
        What proves ``certified_bound`` to anyone, without a solver.
    certificate_checked
        Whether the checker has accepted it; False where there was no time for that,
        None where nobody has asked, as of the result of a single method.
    accepted
        What proves a lower bound, and the checker has accepted during the search.
    spares
        What proves lower bounds and is checked sooner, the least first, for where the
        check of ``certificate`` takes longer than there is time.
    stats
        Figures of the run, for reports.
    defences
        What was hidden after the search beyond what was asked, by defence: the value
        counts it, the bound and its certificate are of the problem without it.
    tolerance
        The largest gap that is called optimal: 1e-6 for losses, 0 for what is counted.

    Examples
    --------
    >>> Result(None, 105, 100, 0.5).gap
    0.05
    >>> Result(None, 100, 100, 0.5).status
    <Status.OPTIMAL: 'optimal'>
    """

    best: Best | None
    value: int | None
    lower_bound: int | None
    runtime: float
    limit: Limit | None = None
    reason: str | None = None
    bound_method: str | None = None
    certificate: Certificate | None = None
    certificate_checked: bool | None = None
    accepted: Certificate | None = None
    spares: tuple[Certificate, ...] = ()
    stats: Mapping[str, float | int | str] = field(
        default_factory=lambda: MappingProxyType({})
    )
    defences: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if (
            self.value is not None
            and self.lower_bound is not None
            and self.lower_bound > self.value
        ):
            raise ValueError(
                f"Expected lower bound <= value, got {self.lower_bound} > {self.value}."
            )

    def __repr__(self) -> str:
        return result_text(self, self.verdict)

    @property
    def status(self) -> Status:
        """Return optimal within the tolerance; infeasible if there is a reason."""
        if self.reason is not None:
            return Status.INFEASIBLE
        if self.value is None:
            return Status.UNKNOWN
        near = is_near(self.value, self.lower_bound, self.tolerance)
        return Status.OPTIMAL if near else Status.FEASIBLE

    @property
    def verdict(self) -> str:
        """The status, but for what is proven to the tolerance alone."""
        if self.status is Status.OPTIMAL and self.value != self.lower_bound:
            return to_tolerance(self.tolerance)
        return self.status.value

    @property
    def gap(self) -> float | None:
        """Return ``(value - lower_bound) / lower_bound``; 0 if both are 0."""
        return gap_of(self.value, self.lower_bound)

    @property
    def certified_bound(self) -> int | None:
        """Return the part of the bound that a certificate re-proves.

        None where there was no time to check it.
        """
        if self.certificate is None or self.certificate_checked is False:
            return None
        return self.certificate.bound


def result_text(found: Any, claim: str) -> str:
    """Write value, bound and gap of a result, whatever its unit, and what is claimed.

    >>> result_text(Result(None, 105, 100, 0.5), "by hand")
    'Result(value=105, lower_bound=100, gap=5.00%, by hand)'
    """
    told = [f"value={found.value}", f"lower_bound={found.lower_bound}"]
    if found.gap:
        told.append(f"gap={gap_text(found.gap)}")
    told.append(claim if found.reason is None else found.reason)
    return f"{type(found).__name__}({', '.join(told)})"


def gap_of(value: float | None, lower_bound: float | None) -> float | None:
    """Return ``(value - lower_bound) / lower_bound``; 0 if both are 0.

    >>> gap_of(105, 100), gap_of(0, 0), gap_of(1, 0), gap_of(42, -1)
    (0.05, 0.0, None, None)
    """
    if value is None or lower_bound is None:
        return None
    if value == lower_bound:
        return 0.0
    return None if lower_bound <= 0 else (value - lower_bound) / lower_bound


def is_near(value: float | None, lower_bound: float | None, tolerance: float) -> bool:
    """Check whether the gap is known, and no larger than the tolerance.

    >>> is_near(10**7 + 9, 10**7, TOLERANCE), is_near(10**7 + 11, 10**7, TOLERANCE)
    (True, False)
    >>> is_near(7, 7, 0.0), is_near(10**40 + 1, 10**40, 0.0), is_near(1, 0, 1.0)
    (True, False, False)
    >>> is_near(42, -1, TOLERANCE)
    False
    """
    gap = gap_of(value, lower_bound)
    return gap is not None and 0 <= gap <= tolerance


def to_tolerance(tolerance: float) -> str:
    """Say that something is proven, but not exactly.

    >>> to_tolerance(TOLERANCE)
    'proven (to 1e-6)'
    """
    mantissa, exponent = f"{tolerance:g}".split("e")
    return f"proven (to {mantissa}e{int(exponent)})"


def gap_text(gap: float | None, digits: int = 2) -> str:
    """Write a gap; one above 100 % as how often the value is the bound.

    >>> gap_text(0.05), gap_text(5.34334), gap_text(None)
    ('5.00%', '6.3-fold', '-')
    """
    if gap is None:
        return "-"
    return f"{gap:.{digits}%}" if gap <= 1 else f"{1 + gap:.1f}-fold"


def unproven(found: Result[Best]) -> Result[Best]:
    """Return a result without what was claimed to be proven of it."""
    told = "lower_bound", "bound_method", "certificate", "certificate_checked"
    nothing: dict[str, Any] = dict.fromkeys((*told, "accepted"))
    return replace(found, **nothing, spares=())
