"""What measured runs show of a volume's numbers, as the model has them: `plimsoll volume fit`.

plateaus.py    at which rates runs stood, and which limit held them there
rates.py       limits from plateaus            credits.py   what a burst can spend, and how fast it comes back
latency.py     distributions of single I/Os    fit.py       all of it: numbers with intervals, and what is not shown
"""
