"""Private database and web servers whose data lie on a target: temporary, on loopback, stopped with the session.

One file per server, found by its name. A module has `DRIVER` (which speaks to it), `OTHER_NAMES` (by which it goes as
well), `PROGRAM` (what to look for), `PLACES` (folders where it may be beside those of PATH), `PACKAGE` (what to
install), `USER` (who runs it when Plimsoll runs as root), `BASE_BYTES` and `LOG_BYTES` (what it puts on the target
beside the data, and the most that its log grows to), `BY_NAME` (whether it goes to its folder by name as well, and not
by its descriptor alone), `READY` (words of its log when it answers), `LOG_PREFIX` (a pattern of the time and process
that a line of its log begins with), `STOP` (the signal of a quick, clean end), `prepare(config)`, which makes its data
and returns the command, and `url(config)`, the address of its database.
"""
