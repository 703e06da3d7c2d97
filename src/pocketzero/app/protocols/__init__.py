"""Our players as an engine for other programs: the other side of the protocols that ``players.engine`` speaks."""
