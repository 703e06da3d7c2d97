"""Speed measurements: ours beside others', in one run, as ratios."""
