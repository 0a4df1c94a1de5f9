"""Neighbourhoods of a release that are solved anew by the pattern program.

``neighbourhood`` is their program, also for row types that give up groups whole; read
it first. ``destroy_operators`` choose the row types that move.
"""
