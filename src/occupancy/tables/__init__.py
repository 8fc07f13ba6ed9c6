"""The numbers and their sources: the shipped table, a user's table, and GPUs by name.

It uses `values`, and nothing else of the package; PyYAML and TOML have their home here.
"""
