"""What a running system asks of its devices, and what follows from it.

core.py     traces of single I/Os                       seconds.py  a trace as sums per second
series.py   sums per period, as counters know them      counters/   monitoring that people already have
demand.py   what is asked of a volume, as stretches     flow.py     a load through limits, without I/Os
advice/     the cheapest volume of each family that carries it
"""
