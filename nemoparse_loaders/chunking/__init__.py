"""A parsed document to retrieval-ready chunks."""
