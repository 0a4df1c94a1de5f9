"""Compile loops once, and note which methods have theirs on disk."""
