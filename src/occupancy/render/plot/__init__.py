"""Charts as pictures, fit for a slide; the only home of matplotlib."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..charts import Picture

FORMATS = (".svg", ".png", ".pdf")
SLIDE_INCHES = (13.33, 7.5)
PIXELS_PER_INCH = 144
STYLE: dict[Any, Any] = {
    "font.size": 14,
    "figure.titlesize": 18,
    "figure.constrained_layout.w_pad": 0.15,
    "figure.constrained_layout.h_pad": 0.15,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}
# Without these the same picture would be another file each time.
SAME_EACH_TIME: dict[Any, Any] = {"svg.hashsalt": "occupancy"}
NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save(picture: Picture, path: str) -> None:
    """Draw a picture into a file.

    Raises:
        InputError: The file's name does not end in one of `FORMATS`, or it cannot be written.
        MissingDependencyError: matplotlib is not installed.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in FORMATS:
        raise InputError(
            f"{path!r} does not say which kind of picture", where="-o", allowed=", ".join(FORMATS)
        )
    figure = draw(picture)
    from matplotlib import rc_context

    with rc_context(SAME_EACH_TIME):
        try:
            figure.savefig(path, dpi=PIXELS_PER_INCH, metadata=NO_DATE.get(suffix))
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", where=path) from error


def draw(picture: Picture) -> Figure:
    """A picture, fit for a slide.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError(
            "matplotlib is not installed", where="-o", cure='Install it with: pip install "occupancy[plot]"'
        ) from error
    from . import charts

    with rc_context(STYLE):
        figure = Figure(SLIDE_INCHES, layout="constrained")
        figure.suptitle(picture.title)
        charts.draw(picture.charts, figure)
    return figure
