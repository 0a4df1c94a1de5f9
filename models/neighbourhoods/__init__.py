"""Parts of a release that are solved anew by the pattern program.

``neighbourhood`` is the program of a part; read it first. ``destroy_operators`` choose
the parts, ``whole_groups`` gives up groups whole.
"""
