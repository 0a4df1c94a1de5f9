"""What became of each column: facts, words, figures and tables of a page."""
