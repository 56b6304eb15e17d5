"""The searches behind the methods for slices, and their kernels."""
