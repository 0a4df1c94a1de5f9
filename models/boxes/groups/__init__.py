"""Groups in boxes: those that are known, those of releases, and releases of them.

``pool`` lists boxes, ``starts`` reads the groups of a release, ``rounding`` and
``incumbent`` make releases of groups.
"""
