"""The constants of the L-reduction from vertex cover, in exact fractions."""

from fractions import Fraction

VERTEX_COVER_RATIO = Fraction(100, 99)


def l_reduction_constant(vertices: int) -> Fraction:
    """Return a of ``stars <= a * cover`` for cubic graphs of at least r vertices.

    The least number of stars is 30 r + 14 + VC. Each vertex covers 3 of the 3 r / 2
    edges, so VC >= r / 2 and the quotient is at most 61 + 28 / r: the paper's 63 for
    r >= 14, and as near to 61 as one likes for larger graphs.

    Examples
    --------
    >>> l_reduction_constant(14), l_reduction_constant(28)
    (Fraction(63, 1), Fraction(62, 1))
    """
    return 61 + Fraction(28, vertices)


def inapproximable(
    constant: Fraction, ratio: Fraction = VERTEX_COVER_RATIO
) -> Fraction:
    """Return a factor of the least number of stars that is out of reach.

    A release within 1 + e of the least stars lifts to a cover of at most
    ``VC + e * stars <= (1 + e * constant) * VC`` vertices. So if covers cannot be
    approximated within ``ratio``, stars cannot within 1 + (ratio - 1) / constant.

    ``constant`` is from ``l_reduction_constant``. Graphs below any fixed size can be
    solved outright, so it may be taken for any r: with 61 as its limit, every factor
    below 6040/6039 is out of reach. ``ratio`` is 100/99 for vertex cover on cubic
    graphs, unless P = NP (M. Chlebík and J. Chlebíková, Theoretical Computer Science
    354, 2006).

    Examples
    --------
    >>> inapproximable(l_reduction_constant(14)), inapproximable(Fraction(61))
    (Fraction(6238, 6237), Fraction(6040, 6039))
    """
    return 1 + (ratio - 1) / constant
