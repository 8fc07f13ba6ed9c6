"""Reports: the columns, rows and notes of each command, independent of their format."""
