"""From what a user names to tables, requirements, objectives and options."""
