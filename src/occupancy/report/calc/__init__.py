"""One kernel on one chip: the answer of `calc`, the advice beside it, and the arithmetic in words."""
