"""Which changes for the worse a search keeps: read ``metropolis``."""
