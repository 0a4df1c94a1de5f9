"""Checks of masks by rules over combinations: shares no code with what finds them.

``family`` reads what is asked, ``check`` judges a release from its cells,
``brute_force`` tries every mask of a tiny table.
"""
