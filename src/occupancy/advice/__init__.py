"""The inverse questions: what to change, how much is left, what fits where.

Every answer is found by asking the engine; no rule of the hardware is written here a second time.
Of the package it uses `values`, `tables`, `engine`, and the words of `render`; what it finds is plain values.
"""
