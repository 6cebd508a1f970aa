"""Plugins for all tests of the workspace; `pythonpath` in pyproject.toml names the folder of this one."""

pytest_plugins = ["vllm_fixtures"]
