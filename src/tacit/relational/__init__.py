"""Tables of people: attributes, and methods that hide each person among others with the same values."""
