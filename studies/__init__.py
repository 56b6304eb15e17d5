"""The papers' tables and figures, made anew from real data: `python -m studies`, or `make studies`.

A study is a module with `TITLE`, `PAPER`, `LIMIT`, `settings(size)`, `measure(**setting)`, `figures(points)` and
`claims(points)`. Its points, the numbers it measured, are kept in studies/points; pictures and pages are drawn from
them.
"""
