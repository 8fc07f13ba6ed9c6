"""The program ``occupancy``, and ``python -m occupancy``."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line."""
    # The collector would go through all that is being imported several times over and find nothing;
    # without that an answer comes a twentieth sooner. Long commands still reach the threshold.
    gc.set_threshold(100_000, 20, 20)
    from .cli import main as run

    try:
        run()
    finally:
        gc.freeze()  # nor is it to go through all that ends with the process: another twelfth


if __name__ == "__main__":
    main()
