"""Hurts Plimsoll at random, and looks whether anything was lost, left behind or claimed without being so.

    python -m benches.torture [--minutes 120] [--seed 7] [--only KIND] [--round N] [--scenario NAME]
    python -m benches.torture every [SCENARIO…] [--most N]

The first plays rounds: a command (`scenarios.py`), what befalls it (`faults/`), the laws afterwards (`laws.py`). What
a round is follows from seed and number: `--seed 7 --round 12` plays round 12 again. Moments are those of a clock and
differ from one repetition to the next by a little; system calls are counted, and do not.

The second lets every n-th system call of a command fail once, for all n, as SQLite's authors test it: the calls are
counted by what they do and where, each gets each of the errors that it can have, and the laws are looked at after each.
"""
