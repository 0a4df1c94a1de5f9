"""Prices improved step by step along supergradients of the bound they prove."""

import time
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from instances import Certificate, Run
from instances.runs.stop import stopping
from models.lagrangian_relaxation.prices import integer_prices
from models.lagrangian_relaxation.subgradient_steps import subgradient_steps
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]

_NOTE_EVERY = 5.0  # seconds


class SubgradientMethod(ABC):
    """Prices, the bound they prove, and steps that raise it.

    Parameters
    ----------
    run
        It learns the bounds; its time ends the search.
    prices
        To begin with, in units of 1/DENOMINATOR.
    due
        What each price is to be paid for: its lack is seen as a share of this.
    first
        The first step of the first round.

    Attributes
    ----------
    prices
        The best so far, in units of 1/DENOMINATOR.
    value
        Their bound in the same unit: not rounded, exact.
    iterations
        Number of bounds computed.
    ceiling
        What the prices never exceed, or None.
    """

    method: ClassVar[str]
    steps: ClassVar[int]  # of the first round
    last_step: ClassVar[float]  # of the first one of the round
    next_step: ClassVar[float] = 0.3  # first one of a round, by that of the one before
    longer: ClassVar[int] = 1  # as many steps as the round before

    def __init__(self, run: Run[Any], prices: Ints, due: Ints, first: float) -> None:
        self.run, self.prices = run, prices
        self.value = -(1 << 62)
        self.iterations = 0
        self.ceiling: npt.NDArray[np.float64] | None = None
        self._due, self._first = due, first
        self._noted = time.perf_counter()

    @abstractmethod
    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        """The bound of these prices, and what the best choices lack of each due."""

    @abstractmethod
    def _certificate(self, bound: int) -> Certificate | None:
        """The certificate of the best prices, where there is a form for it."""

    def improve(self, tolerance: float) -> None:
        """Rounds of steps until one gains too little, or time or gap are used up.

        Too little is the share ``tolerance`` of the bound, for as many steps as the
        first round has: rounds may be longer than the one before, for prices converge
        slowly where many patterns share the rows, and begin with smaller steps.
        Whatever ends it, the run knows the best bound and its certificate.
        """
        first, steps = self._first, self.steps
        try:
            while True:
                before = self.value
                self._round(first, steps)
                self._note()
                gained = (self.value - before) * self.steps / steps
                if self.run.closed or gained <= tolerance * abs(self.value):
                    return
                if self.run.remaining <= 0:
                    return
                first *= self.next_step
                steps *= self.longer
        except KeyboardInterrupt:
            self._note()
            raise

    def climb(self, first: float) -> None:
        """One round of steps that begins at the prices held, and its bound noted."""
        try:
            self._evaluate(self.prices)
            self._round(first, self.steps)
        finally:
            self._note()

    def _round(self, first: float, steps: int) -> None:
        """One round: large steps first, small ones in the end."""
        started, seconds = time.perf_counter(), self.run.remaining

        def spent(lack: Ints) -> float:
            passed = time.perf_counter() - started
            if self.run.closed or passed >= seconds or stopping() or not lack.any():
                return 1.0
            return passed / seconds

        subgradient_steps(
            lambda prices: self._evaluate(integer_prices(prices)),
            self.prices / DENOMINATOR,
            self._due,
            steps,
            lambda done: first * self.last_step**done,
            spent,
            self.ceiling,
        )

    def _evaluate(self, prices: Ints) -> Ints:
        """Note the bound of these prices; what is lacking at them."""
        value, lack = self._bound(prices)
        self.iterations += 1
        if value > self.value:
            self.value, self.prices = value, prices
            if time.perf_counter() - self._noted > _NOTE_EVERY:
                self._note()
        return lack

    def _note(self) -> None:
        """Tell the run, with a certificate, where the bound is higher."""
        self._noted = time.perf_counter()
        bound = max(0, -(-self.value // DENOMINATOR))
        held = self.run.certificate
        if self.iterations and (held is None or bound > held.bound):
            self.run.raise_bound(bound, self.method, self._certificate(bound))
