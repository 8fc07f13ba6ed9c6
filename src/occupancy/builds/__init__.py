"""The kernels of a whole build: read, selected, named, matched, and checked against rules."""
