"""What an SM offers, what a block needs, and how people write them."""
