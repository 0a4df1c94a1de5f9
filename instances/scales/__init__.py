"""How the values of columns are generalized, and what that loses.

Read ``scale`` (one column) first, then ``scales`` (all columns) and ``taxonomy``.
"""
