"""cogsl.report."""
