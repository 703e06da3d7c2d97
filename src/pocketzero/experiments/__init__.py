"""The papers' experiments, each a readable file, and what they share."""
