"""The pattern formulation with ranges, for small tables.

``range_ilp`` is the method; ``boxes`` lists what groups can be published as.
"""
