"""Parsed documents in other formats."""
