"""``python -m nemoparse_loaders.cli``."""

from . import main

main()
