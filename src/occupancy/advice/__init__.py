"""Changes for a higher occupancy, headroom, budgets and waves; each number comes from the engine."""
