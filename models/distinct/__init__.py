"""The pattern formulation under distinct l-diversity.

The method ``pattern_ilp`` calls ``search``. Read ``reduction`` first: which rows must
be placed and which can be lent; then ``program``, ``search`` and ``kernel_search``.
``lending_flow`` finds the rows that patterns borrow, ``repair_by_merging`` makes a
release of what is left short, ``prices`` bounds large programs.
"""
