"""Kernels of a build: merged records, rows with their occupancy, names, filters and order."""
