"""How the values of columns are generalized, and what that loses.

Read ``scale`` (one column) first, then ``numeric_scale`` (ranges) and
``scales`` (all columns) and ``taxonomies``.
"""
