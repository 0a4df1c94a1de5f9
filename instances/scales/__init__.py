"""How the values of columns are generalized, and what that loses.

Read ``scale`` (one column) first, then ``numeric_scale`` (ranges) and
``taxonomy_scale``, ``scales`` (all columns) and ``taxonomies``.
"""
