"""Limits of an SM, needs of a block, and their spellings.

Every other room stands on these; of the package they use `errors` alone.
"""
