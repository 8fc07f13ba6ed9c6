"""Limits and their sources: the shipped table, a user's table, and GPUs by name."""
