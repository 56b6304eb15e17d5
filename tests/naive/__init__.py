"""The slow twins: every algorithm written out as its paper, or the definition, says it."""
