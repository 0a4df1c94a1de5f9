"""Settings files: what is asked of a table, kept for the next one.

Their keys are the options of ``starmin solve``, as these are declared.
"""
