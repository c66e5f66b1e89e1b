"""What we claim about speed, memory and accuracy, as commands."""
