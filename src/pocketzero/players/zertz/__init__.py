"""Players that know Zertz: a greedy one, and alpha-beta over whole turns."""
