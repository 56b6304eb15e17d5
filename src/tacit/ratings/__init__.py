"""(k, ε)-anonymity of ratings (Sun & Wang): surveys and rating logs."""
