"""The commands, a module a group of them: each says what it takes, and is a thin caller of the flow."""
