"""Advice: changes for a higher occupancy, headroom, budgets, waves.

Every number comes from the engine; no rule of the hardware is written here a second time.
"""
