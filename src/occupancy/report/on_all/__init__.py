"""One question for several chips: an answer for each, and what holds on all of them."""
