"""Reports: pages of one file that need no network, and their figures."""
