"""Slicing: attributes into columns, people into buckets, and inside a bucket the columns permuted on their own."""
