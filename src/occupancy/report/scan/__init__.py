"""The kernels of files: the answer of `scan`, its columns, its summary and its notes."""
