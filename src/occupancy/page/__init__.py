"""The interactive page: one HTML file with the engine's own rules, translated into JavaScript.

`build` puts it together: `rules` says which of our functions it has, `translator` writes them as JavaScript,
`data` holds the limits and the products, and ``files/`` the page's own code, template and style. It reads the
source of `engine`, `advice` and `report`, takes kernels from `builds` and numbers from `tables`, and may use
all rooms below.
"""
