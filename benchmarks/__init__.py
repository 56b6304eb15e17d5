"""How fast tacit is and how little is lost: `python -m benchmarks` measures it and writes the tables of the docs."""
