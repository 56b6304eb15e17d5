"""The methods for baskets: a file each, with what users see of it and its search."""
