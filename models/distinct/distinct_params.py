"""What steers the search under distinct l-diversity."""

from dataclasses import dataclass

from starmin.models.solvers.kernel_search import KernelSearchParams

_KERNEL = KernelSearchParams(
    kernel_size=4, kernel_share=0.7, neighbourhood_size=5, pause=0.0
)


@dataclass(frozen=True)
class DistinctParams:
    """Constants that steer the search under distinct l-diversity.

    Attributes
    ----------
    relaxations
        Linear relaxations that are solved at most, each with more classes placed.
    share
        Share of the time for prices; a second relaxation is solved only where the
        first one took less than this share.
    large
        With more placed incidences, prices take the place of the relaxation.
    tolerance
        The prices are improved until a round gains less than this share of the bound.
    seconds_for_whole
        Seconds that must be left to search a whole program that is so large.
    kernel
        Those of the kernel search.
    """

    relaxations: int = 2
    share: float = 0.2
    large: int = 400_000
    tolerance: float = 1e-3
    seconds_for_whole: float = 120.0
    kernel: KernelSearchParams = _KERNEL
