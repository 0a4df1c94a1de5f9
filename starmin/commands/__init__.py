"""The commands of the command line, one file each; ``solve`` is read first.

``linkage`` has several commands; ``exchange`` has those that lead to other problems.
"""
