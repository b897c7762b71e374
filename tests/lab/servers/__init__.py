"""Starts, loads and stops the real servers of the end-to-end tests."""
