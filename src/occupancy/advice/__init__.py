"""Advice: changes for a higher occupancy, headroom, budgets, waves.

Every number comes from the engine. Rules of the hardware are not duplicated here.
"""
