"""The functions of the library: input in people's spellings, answers that show themselves.

It reads the input, asks engine, advice and builds, and wraps what they say in reports.
It may use all packages below it; the command line uses it.
"""
