"""The program ``occupancy``, and ``python -m occupancy``."""

from __future__ import annotations

import gc


def main() -> None:
    gc.disable()  # collections find nothing, and take 5% of the start and of a scan
    from .cli import main as run

    try:
        run()
    finally:
        gc.freeze()  # skips the collection at exit, which takes 8% of a run


if __name__ == "__main__":
    main()
