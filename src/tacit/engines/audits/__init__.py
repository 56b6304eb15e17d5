"""The audits on an engine: it counts and deals out what was published; all else is the audits' own code.

Nothing here is imported by what makes a release or imports it, but for the verbs of an engine (`tacit.engines.frames`).
Whose row is whose, which rows are alike and what a group is, is read here anew from the files as they lie there.
"""
