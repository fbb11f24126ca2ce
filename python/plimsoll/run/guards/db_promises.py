"""Is a write that a database acknowledged on stable storage?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, not_checkable
from plimsoll.run.guards._server import broken_promises, changes_data

NAME = "db_promises"
TITLE = "Durability of the database"
KINDS = ("db",)
WHY = """A server that acknowledges a write before it is on stable storage is many times faster, and loses it when the
machine fails. Its settings decide that, and they are easily overlooked: Redis and RocksDB promise little until they are
told to. What was asked for (`durability=` of a private server) is no surprise; anything else is."""


def check(evidence: RunEvidence) -> Finding | None:
    """Tests that write, against the settings that the server told. A warning: the rate is right, and cheaply bought."""
    settings = evidence.database["server"]
    if not settings or not changes_data(evidence.plan):
        return None
    if "server" in settings and len(settings) <= 2:
        return not_checkable(NAME, "the server does not tell its settings")
    broken = list(broken_promises(settings))
    if not broken:
        return finding(NAME, Level.OK, "acknowledged writes are on stable storage, by the server's settings", broken=0)
    names = ", ".join(name for name, _ in broken)
    asked = evidence.db["server"] != "none" and evidence.db["durability"] != "full"
    if asked:
        message = f"durability={evidence.db['durability']}, as asked for ({names})"
        return finding(NAME, Level.OK, message, broken=len(broken))
    return finding(
        NAME,
        Level.WARN,
        f"the server does not keep what it acknowledges ({names}): {broken[0][1]}",
        "Compare only with servers that promise as little, or set it as it is in production.",
        broken=len(broken),
    )
