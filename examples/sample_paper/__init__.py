"""The sample paper: what it says (`content`, `tables`), and how it is drawn (`flow`, `drawing`)."""
