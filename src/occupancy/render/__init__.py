"""Renderers of any report, and of what CI services read; they hold no word of a command."""
