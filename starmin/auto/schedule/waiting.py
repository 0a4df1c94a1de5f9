"""Methods that wait for their next slice, and who of them has it."""

from threading import Lock

from starmin.auto.schedule.guests import Guest


class Waiting:
    """Methods with the same work, those first from which most is expected.

    The one that gained most goes on for as long as it gains. Then the next is tried, or
    sooner: each of ``m`` methods begins before ``m`` parts of the ``seconds`` are over.
    Where none gains anything, they take turns. All have worked for ``used`` seconds.
    """

    def __init__(self, guests: list[Guest], seconds: float) -> None:
        self._guests, self._lock, self.used = [*guests], Lock(), 0.0
        self._part, self._begun = seconds / max(1, len(guests)), 0

    def __bool__(self) -> bool:
        return bool(self._guests)

    def take(self, has_bound: bool) -> Guest | None:
        """Take who has the next slice; those who bound are of no use beside a bound."""
        with self._lock:
            self._guests = [
                guest
                for guest in self._guests
                if guest.used or not (has_bound and guest.method.kind == "bound")
            ]
            begun = [guest for guest in self._guests if guest.used]
            best = max(begun, key=lambda guest: guest.gain, default=None)
            fresh = [guest for guest in self._guests if not guest.used]
            late = fresh and self.used >= self._part * self._begun
            if best is None or best.gain == 0 or late:
                self._begun += bool(fresh)
                idle = sorted(begun, key=lambda guest: guest.used)
                best = next(iter([*fresh, *idle]), None)
            if best is not None:
                self._guests.remove(best)
            return best

    def put_back(self, guest: Guest, seconds: float) -> None:
        """Have it wait again, after it has worked for so many seconds."""
        with self._lock:
            self.used += seconds
            if not guest.over:
                self._guests.append(guest)
