"""Problems that are solved by usual ones that are easier."""
