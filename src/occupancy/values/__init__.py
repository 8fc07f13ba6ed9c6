"""Limits of an SM, resources of a block, and their spellings.

Every other package uses these; they use `errors` alone.
"""
