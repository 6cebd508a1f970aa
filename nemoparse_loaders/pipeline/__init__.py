"""Scheduling of pages over an engine."""
