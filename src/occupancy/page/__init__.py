"""The calculator and the report as one HTML file without requests.

`build` puts the files of ``files/`` together with `data`. ``files/engine.js`` is the engine, ported by hand;
``tests/page`` compares the two. It may use all packages below it.
"""
