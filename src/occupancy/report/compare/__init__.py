"""Two builds, or a build and its rules: the answers of `diff` and of `check`, and the words that both use."""
