"""For all tests of the workspace: plugins (`pythonpath` in pyproject.toml names their folder), hypothesis."""

import os
import signal

from hypothesis import settings

pytest_plugins = ["vllm_fixtures"]

# Shells start what they run in the background with SIGINT ignored, and all children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine that is busy with other things is slow, and no test is to fail for that.
settings.register_profile("any-speed", deadline=None)
# In CI the examples are the same on every run: what fails there fails again. New ones are found elsewhere.
settings.register_profile("ci", settings.get_profile("any-speed"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "any-speed")
