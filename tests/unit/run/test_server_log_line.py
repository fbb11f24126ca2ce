"""Which line of a server's log is told when it ended."""

from __future__ import annotations

import pytest

from plimsoll.run.private_server import kind
from plimsoll.run.servers._log_line import useful_line

REDIS_FULL = """812:M 01 Mar 2025 10:00:00.101 * Ready to accept connections
812:M 01 Mar 2025 10:00:09.500 # Error writing to the AOF file: No space left on device
812:M 01 Mar 2025 10:00:09.501 # Can't recover from AOF write error when the AOF fsync policy is 'always'. Exiting...
"""
REDIS_END = """812:M 01 Mar 2025 10:00:00.101 * Ready to accept connections
812:signal-handler (1740823209) Received SIGTERM scheduling shutdown...
812:M 01 Mar 2025 10:00:09.501 # User requested shutdown...
812:M 01 Mar 2025 10:00:09.502 # Redis is now ready to exit, bye bye...
"""
POSTGRESQL_FULL = """2025-03-01 10:00:00.000 UTC [77] LOG:  database system is ready to accept connections
2025-03-01 10:00:04.000 UTC [91] ERROR:  duplicate key value violates unique constraint "usertable_pkey"
2025-03-01 10:00:04.000 UTC [91] DETAIL:  Key (ycsb_key)=(user1) already exists.
2025-03-01 10:00:05.000 UTC [90] PANIC:  could not write to file "pg_wal/xlogtemp.90": No space left on device
2025-03-01 10:00:05.100 UTC [77] LOG:  server process (PID 90) was terminated by signal 6: Aborted
2025-03-01 10:00:05.100 UTC [77] LOG:  terminating any other active server processes
2025-03-01 10:00:05.101 UTC [92] FATAL:  the database system is in recovery mode
"""
POSTGRESQL_KILLED = """2025-03-01 10:00:04.000 UTC [91] ERROR:  relation "x" does not exist at character 39
2025-03-01 10:00:04.000 UTC [91] STATEMENT:  SELECT could not FROM x
2025-03-01 10:00:05.101 UTC [92] FATAL:  terminating connection due to unexpected postmaster exit
"""
MARIADB_FULL = """2025-03-01 10:00:00 0 [Note] mariadbd: ready for connections.
2025-03-01 10:00:04 8 [Warning] Aborted connection 8 to db: 'x' user: 'y' host: 'z' (Got an error reading)
2025-03-01 10:00:05 5 [ERROR] InnoDB: preallocating 65536 bytes for file ./x/t.ibd failed with error 28
2025-03-01 10:00:05 5 [ERROR] mariadbd: The table 't' is full
250301 10:00:05 [ERROR] mysqld got signal 6 ;
Sorry, we probably made a mistake, and this is a bug.
"""


@pytest.mark.parametrize(
    ("server", "log", "line"),
    [
        ("redis", REDIS_FULL, "Error writing to the AOF file: No space left on device"),
        ("redis", REDIS_END, "Received SIGTERM scheduling shutdown..."),
        (
            "postgresql",
            POSTGRESQL_FULL,
            'PANIC:  could not write to file "pg_wal/xlogtemp.90": No space left on device',
        ),
        ("postgresql", POSTGRESQL_KILLED, ""),
        ("mariadb", MARIADB_FULL, "[ERROR] InnoDB: preallocating 65536 bytes for file ./x/t.ibd failed with error 28"),
        ("redis", "nothing of note\nReady to accept connections\n", ""),
        ("nginx", "", ""),
        ("nginx", "2025/03/01 10:00:00 [emerg] 7#7: bind() failed\n", "[emerg] 7#7: bind() failed"),
    ],
)
def test_the_line_that_names_the_cause_is_told(server: str, log: str, line: str) -> None:
    assert useful_line(log, kind(server).LOG_PREFIX) == line


def test_a_line_is_no_longer_than_can_be_read() -> None:
    assert len(useful_line("PANIC: " + "x" * 10_000, "")) == 300
