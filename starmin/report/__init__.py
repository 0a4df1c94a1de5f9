"""Reports: pages of one file that need no network, and their figures.

Read ``release_page`` (one release) or ``gap_page`` (a sweep) first.
"""
