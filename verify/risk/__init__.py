"""The risk of a table before anything is hidden: who is found in it, and by what."""
