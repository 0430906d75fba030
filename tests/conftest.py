"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# A call may compile a kernel first, and other work may run on the machine: no test has a deadline.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
