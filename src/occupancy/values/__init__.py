"""What an SM offers, what a block needs, and how people write them.

Every other room stands on these; of the package they use `errors` alone.
"""
