"""What releases tell who knows how they were made: one inference a file.

Read ``inference`` and ``classes`` first; ``audit_release`` calls them all.
"""
