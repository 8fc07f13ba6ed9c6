"""Where each number comes from: the shipped table, a user's table, GPUs by name, and the sources."""
