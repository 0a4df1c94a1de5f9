"""Read and write tables; files appear whole or not at all.

Read ``read`` first: CSV, gzipped CSV, Parquet and frames. ``file_formats/parse_csv`` is
the CSV reader, ``write`` the way back, ``atomic`` the files.
"""
