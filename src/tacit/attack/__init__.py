"""Attackers: each plays against a release, and measured success stands beside the promised bound."""
