"""Small inputs, and commands run in this process, for tests."""
