"""The proof of an advice: the recommended volume and a cheaper one under the interval in which the cheaper one fails.

interval.py   which interval, and what both hold when it begins
served.py     both served here, and the interval replayed on them in turns
whole.py      one or the other, and why              sentences.py  what came out
"""
