"""The methods for ratings: a file each, with what users see of it and its search."""
