"""The searches behind the methods for baskets, and their kernels."""
