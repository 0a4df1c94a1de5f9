"""Models for other solvers and tables of hard problems, and the ways back."""
