"""Models for other solvers, and what these find."""
