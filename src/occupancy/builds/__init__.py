"""The kernels of a whole build: read, selected, answered for, named, matched, compared, checked by rules.

It knows nothing of how its answers are shown; of the package it uses `values`, `tables`, `readers`, `engine`
and `advice`.
"""
