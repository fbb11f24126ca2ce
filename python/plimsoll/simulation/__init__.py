"""Volumes in virtual time: what a load gets from a volume, when its burst ends, who limits it, and what it costs.

job.py      a load, in the words of the io tests           outcome.py  one volume under that load
slo.py      what the user needs                            lasting.py  what of it lasts, and until when
grid.py     what a provider sells of a type                search.py   the cheapest on a grid that is enough
choice.py   the cheapest volume of each type
"""
