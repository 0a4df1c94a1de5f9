"""The patterns that matter at given prices, found again without the search."""
