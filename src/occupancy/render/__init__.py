"""Renderers of any report, also for CI services, without text of a command."""
