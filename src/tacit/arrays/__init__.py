"""What every kind of data computes with: sets as sorted arrays, attributes as codes, and their kernels."""
