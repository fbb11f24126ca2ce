"""The cheapest volume of each family that would have carried a load for ever.

wanted.py    what is needed                 turn.py      one turn of the load on one volume
families.py  the cheapest of each family    growth.py    what breaks first as the load grows
machines.py  instance types that cap it     hidden.py    demand that a saturated device hid
today.py     the volume that there is       headroom.py  the curve of one volume as the load grows
whole.py     all of it together
"""
