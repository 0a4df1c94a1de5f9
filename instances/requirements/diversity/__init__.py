"""l-diversity: sensitive values of a group differ, in each sense that was proposed."""
