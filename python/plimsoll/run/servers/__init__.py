"""Private database and web servers whose data lie on a target: temporary, on loopback, stopped with the session.

One file per server. A module has `PROGRAM` (what to look for), `PACKAGE` (what to install), `USER` (who runs it when
Plimsoll runs as root), `BASE_BYTES` and `LOG_BYTES` (what it puts on the target beside the data, and the most that
its log grows to), `BY_NAME` (whether it goes to its folder by name as well, and not by its descriptor alone), `READY`
(words of its log when it answers), `STOP` (the signal of a quick, clean end), and `prepare(config)`, which makes its
data and returns the command.
"""
