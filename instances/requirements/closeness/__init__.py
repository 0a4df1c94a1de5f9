"""t-closeness: groups whose sensitive values look like the whole table's."""
