"""`python -m tacit`: the command, where it is not on the path."""

from tacit.cli import run

run()
