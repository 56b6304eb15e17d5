"""The searches behind the methods for ratings, and their kernels."""
