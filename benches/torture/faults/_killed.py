"""What a command is killed in, at one call or at any moment."""

SCENARIOS = ("session", "import", "take-in", "merge", "report", "export", "export-again", "volume", "volume-delete",
             "volume-session", "session-redis", "session-postgresql", "session-mariadb")  # fmt: skip
