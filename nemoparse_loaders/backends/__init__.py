"""The engines that read pages."""
