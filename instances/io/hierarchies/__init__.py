"""Files of hierarchies, whoever wrote them: lines of a value and the nodes above it.

Read ``level_file`` first.
"""
