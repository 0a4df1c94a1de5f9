"""Checks of certificates: bounds recomputed without a solver, in exact arithmetic.

Read ``certificate_check`` first; docs/reference/certificate.md has the theorems.
``prices`` has the checks of prices of rows, for losses, too, and of trees of decisions;
``patterns`` finds the patterns that matter to them. ``untrusted`` reads what anyone may
have written.
"""
