"""The methods for slices: a file each, with what users see of it and its search."""
