"""The searches behind the methods for records, and their kernels."""
