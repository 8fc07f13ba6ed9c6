"""The kernels of a whole build: read, selected, answered for, named, matched, compared, checked by rules.

It asks readers, engine and advice, and knows nothing of how its answers are shown.
"""
