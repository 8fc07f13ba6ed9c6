"""Kernels of a build: merging of records, rows with their occupancy, names, filters and sorting."""
