"""The grammar of published values: written here and nowhere else."""
