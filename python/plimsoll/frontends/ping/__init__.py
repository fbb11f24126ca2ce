"""ioping's command line, run by Plimsoll's engine, reported in ioping's words (version 1.3).

options      arguments to settings, with ioping's suffixes and defaults
plans        settings to a plan of the core: one request at a time, pages dropped before each, writes synced
statistics   what counts, and ioping's figures over it
output       lines, raw lines, JSON
"""
