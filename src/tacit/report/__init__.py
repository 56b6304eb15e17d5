"""What people read: the page for the data's owner, and the note that goes out with the data."""
