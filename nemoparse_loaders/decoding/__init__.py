"""Reply text to elements and back."""
