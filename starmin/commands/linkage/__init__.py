"""``starmin linkage`` and its commands; ``linkage`` is read first."""
