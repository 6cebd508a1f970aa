"""Chunking compared: what a retriever finds at equal token budgets, and what chunking costs."""
