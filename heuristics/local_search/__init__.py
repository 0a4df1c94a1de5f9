"""Local search on any release, for any requirement: move, swap, merge and split.

``local_search`` is the method; read it first. ``state`` holds groups and a log of
changes, ``moves`` and ``openings`` propose, ``pattern_index`` finds groups by pattern,
``requirement_check`` asks any requirement of many groups.
"""
