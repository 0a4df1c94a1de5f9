"""The process of a command: its clock, its signals, its place for compiled loops."""
