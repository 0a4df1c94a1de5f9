"""An example of what another package may add to starmin."""
