"""Outside programs as players: a child process, and the protocols it may speak."""
