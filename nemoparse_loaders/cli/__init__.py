"""The nemoparse command."""
