"""The functions of the library: inputs in any spelling, results that print themselves."""
