"""The unit of prices: multipliers are integers, and proofs exact."""

DENOMINATOR = 1 << 16  # Prices are in units of 1 / DENOMINATOR of the objective's.
