"""From results to files, JSON and lines to read."""
