"""`make fuzz`: damaged inputs for every reader, and what the commands make of them."""
