"""Where each number comes from: the shipped table, a user's table, GPUs by name, and the sources.

It makes `values`, and uses nothing else of the package; PyYAML has its home here.
"""
