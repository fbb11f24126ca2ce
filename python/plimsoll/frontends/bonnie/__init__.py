"""Bonnie++'s command line, run by Plimsoll's own Bonnie++ workload, reported as Bonnie++ 2.00 does.

options   arguments to settings, with the original's defaults and refusals
output    the text table and the CSV line of format 1.98
"""
