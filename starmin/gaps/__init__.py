"""Sweeps: methods x instances x requirements x seeds, each run in its own process.

Read ``sweep`` first, then ``job`` (one run) and ``store`` (what is finished).
``gap_page`` is the report.
"""
