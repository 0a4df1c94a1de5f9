"""The process of a command: its clock, its time limit, its signals and its cluster."""
