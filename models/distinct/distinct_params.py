"""What steers the search under distinct l-diversity."""

from dataclasses import dataclass

from starmin.models.solvers.mip_search import KernelSearchParams

_KERNEL = KernelSearchParams(
    kernel_size=4, kernel_share=0.7, neighbourhood_size=5, pause=0.0
)


@dataclass(frozen=True)
class DistinctParams:
    """Constants that steer the search under distinct l-diversity."""

    # linear relaxations that are solved at most, each with more classes placed
    relaxations: int = 2
    # share of the time for prices; a second relaxation is solved only where the first
    # one took less than this share
    share: float = 0.2
    # with more placed incidences, prices take the place of the relaxation
    large: int = 400_000
    # the prices are improved until a round gains less than this share of the bound
    tolerance: float = 1e-3
    # that must be left to search a whole program that is so large
    seconds_for_whole: float = 120.0
    kernel: KernelSearchParams = _KERNEL
