"""Limits of an SM, resources of a block, and their spellings, which every other package uses."""
