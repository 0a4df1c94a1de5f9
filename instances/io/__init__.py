"""Read and write tables; files appear whole or not at all."""
