"""What the games of a run prove: pure functions from part sums or tables to estimates, intervals and verdicts."""
