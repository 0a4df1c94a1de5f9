"""The commands of the command line, one file each; ``solve`` is read first.

Commands of several parts, ``linkage`` and the reductions, have folders.
"""
