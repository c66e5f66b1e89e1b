"""Experiments: presets, the runner and the records it writes."""
