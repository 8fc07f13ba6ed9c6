"""Limits of an SM, needs of a block, and their spellings.

Every other package uses these; they use `errors` alone.
"""
