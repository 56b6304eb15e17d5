"""What the audits read: published tables as a stranger sees them, and the original that they are compared with.

Own readers, from an Arrow table and what the job says of its columns: nothing that a method read enters a verdict.
"""
