"""A launch on the whole GPU: waves, clusters, and where they run."""
