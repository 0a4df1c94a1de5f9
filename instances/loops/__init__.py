"""How loops are compiled, once, and where they are kept.

Read ``compiled`` first, with the decorators of all compiled loops. ``loop_cache`` keeps
what was compiled, names it by content, and knows the folders. Import from the files:
``compiled`` loads numba, which takes half a second, and others do not.
"""
