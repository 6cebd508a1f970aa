"""How well the checks find damage, and what their confidence means."""
