"""Data frames of each library, by what a release does with them: ``Native``."""
