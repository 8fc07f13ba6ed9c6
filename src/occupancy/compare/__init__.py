"""What changed in the kernels of a build since another build or a baseline, and whether they keep the rules.

It knows nothing of how its answers are shown; of the package it uses `values`, `tables`, `readers`, `engine`,
`advice` and `builds`.
"""
