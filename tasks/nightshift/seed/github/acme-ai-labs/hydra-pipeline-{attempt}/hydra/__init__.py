"""The Hydra inference pipeline."""

__version__ = "2.1.0"
