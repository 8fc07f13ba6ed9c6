"""The kernels of a whole build: read, selected, answered for, named, matched, compared, held against rules.

It asks readers, engine and advice, and knows nothing of how its answers are shown.
"""
