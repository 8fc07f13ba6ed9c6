"""Settings of hypothesis for all property tests."""

from hypothesis import settings

# The engine takes microseconds; a deadline would only measure how busy the machine is.
settings.register_profile("occupancy", max_examples=200, deadline=None)
settings.load_profile("occupancy")
