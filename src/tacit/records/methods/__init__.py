"""The methods for records: a file each, with what users see of it and its search."""
