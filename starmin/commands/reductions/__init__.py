"""``starmin reduce`` from hard problems to tables, and ``starmin lift`` back."""
