"""Records: a row a person, perhaps with a basket."""
