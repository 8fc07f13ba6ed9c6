"""The kernels of a whole build: read, named, merged, selected, answered for.

It knows nothing of how its answers are shown; of the package it uses `values`, `tables`, `readers`, `engine`
and `advice`.
"""
