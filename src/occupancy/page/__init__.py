"""The calculator and the report as one HTML file without requests.

`build` combines ``files/`` and `data`. ``files/engine.js`` is a manual port of the engine; ``tests/page``
compares both.
"""
