"""From runs to answers: pure functions on plain numbers. No files, no clock, no random state, no SciPy.

policy         the fixed numbers: looks, critical values, modes
looks          mean and trimmed mean of paired differences at one look, for many cells at once
verdict        better, same, worse or unknown
stopping       one more round of blocks, or stop
paired         from stored scores to compared cells
unpaired       two sets that were not interleaved: the weaker comparison
repeats        whether repeated runs are repetitions of one thing
multiplicity   many comparisons: corrected p-values and what survives
summary        the score of one target over its blocks
sentences      every verdict as one plain sentence
changepoints   where the level of a series changes
steady         which part of a run is its steady state
histogram      decoded, added latency histograms and their percentiles
littles_law    does the throughput fit the latency
critical_values, repeat_values   the simulations behind the numbers of `policy` and `repeats`

METHODOLOGY.md says why.
"""
