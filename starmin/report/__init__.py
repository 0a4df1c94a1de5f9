"""Reports: pages of one file that need no network, and their figures.

Here is what pages share; ``release`` has that of a release.
"""
