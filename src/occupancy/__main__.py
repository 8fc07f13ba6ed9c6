"""``python -m occupancy``."""

from .cli import main

main()
