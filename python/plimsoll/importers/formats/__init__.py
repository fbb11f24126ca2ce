"""One file per foreign format: NAME, TITLE, TOOLS, `recognise(head, name)` and `read(source, options)`.

A format whose measurement is spread over several files also has `group(name)`: files of one import with an equal group
are read together.
"""
