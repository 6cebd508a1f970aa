"""Any input to a Source that knows what it is."""
