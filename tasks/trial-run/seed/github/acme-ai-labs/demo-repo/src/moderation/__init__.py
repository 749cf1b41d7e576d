"""Moderation of posts."""
