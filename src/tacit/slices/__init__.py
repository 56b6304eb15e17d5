"""Tables in slices: sensitive attributes that keep what goes together."""
