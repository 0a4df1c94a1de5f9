"""The pattern formulation under distinct l-diversity.

Reached by the method ``pattern_ilp``. Read ``reduction`` first: which rows must be
placed and which are lent; then ``program`` and ``search``.
"""
