"""The process of a command: its clock and its signals."""
