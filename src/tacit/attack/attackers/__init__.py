"""A file an attacker: what users see of it as ATTACKER, and how it plays. NumPy and its like are imported inside."""
