"""The one place that has the version."""

__version__ = "0.1.0"
