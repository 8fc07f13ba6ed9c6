"""Differences between builds, baselines, and checks against rules."""
