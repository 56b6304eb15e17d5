"""What a process of ours owes the system it runs on: how it is started, stopped and disturbed, and what it says when it
ends in a fault."""
