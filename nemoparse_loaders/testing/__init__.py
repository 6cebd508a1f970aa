"""A parse server to test against."""
