"""Where the work is done when one machine is not enough: a Spark cluster, or Sail, which speaks the same language.

A narrow seam. `session` opens an engine, `frames` has its few verbs (read, distinct rows with their number, apply a
function, sort, write), `flow` is the story of a release on it. Written to what Spark Connect offers and nothing else.
"""
