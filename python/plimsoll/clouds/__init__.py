"""Real clouds: what a session rents, measures on and gives back.

wanted.py     what shall be rented, as plain records            provider.py   the contract of a provider
target.py     `aws:gp3,size=…` as a target                      quote.py      what it costs at most, before anything is
ledger.py     on disk before each call                          lease.py      when everything ends, whatever happens
rent.py       create, wait, give back, see that it is gone      sweep.py      what an earlier session left
hosts.py      SSH: install, tunnel, which device is which       session.py    one measured session for each allocation
providers/    one folder for each provider, found by the program
"""
