"""Reports in, text for a person or a program out."""
