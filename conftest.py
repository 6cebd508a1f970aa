"""For all tests of the workspace: plugins (`pythonpath` in pyproject.toml names their folder), hypothesis."""

from hypothesis import settings

pytest_plugins = ["vllm_fixtures"]

# A machine that is busy with other things is slow, and no test is to fail for that.
settings.register_profile("any-speed", deadline=None)
settings.load_profile("any-speed")
