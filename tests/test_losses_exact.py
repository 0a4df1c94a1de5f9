"""Tests that losses of any kind are minimized exactly, bounded and published as such.

``tests.fuzz_losses`` compares more problems.
"""

import pytest

from tests.fuzz_losses import compare


@pytest.mark.parametrize("seed", range(20))
def test_methods_agree_with_brute_force(seed):
    compare(seed, searches=seed % 20 == 0)
