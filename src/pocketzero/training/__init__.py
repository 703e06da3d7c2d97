"""Learning a game from its rules: self-play, replay, learner, and the run directory that holds everything."""
