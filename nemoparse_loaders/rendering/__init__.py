"""A page of a source to a picture."""
