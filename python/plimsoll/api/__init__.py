"""The library: what `import plimsoll` offers, one file per subject. The command line is a thin layer on it.

measuring   run, resume and knee; from names to a study, and from a study to a session
watching    what a session tells while it runs, and how it is cancelled
loading     load: stored sessions, files and addresses
sessions    what a session gives: tables, histograms, charts, reports
comparing   which runs are compared, and compare
verdicts    a verdict as an object and as a row
importing   results of other tools
simulating  simulate
advising    advise
verifying   verify
faults      which error of `plimsoll.errors` stands for one of Python's
"""
