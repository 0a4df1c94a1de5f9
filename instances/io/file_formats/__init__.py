"""Kinds of files: text, Parquet, spreadsheets, and those of statistics programs."""
