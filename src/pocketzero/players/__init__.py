"""Whatever can choose a move."""
