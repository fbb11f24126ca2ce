"""`plimsoll baseline list`: the sessions that later ones are held against."""

from __future__ import annotations

from plimsoll.cli.options import Json

EXAMPLES = "`plimsoll baseline list --json`"


def command(json: Json = False) -> None:
    """List the baselines with their sessions."""
    from plimsoll.cli.listing import print_list
    from plimsoll.cli.output import print_json, say, when
    from plimsoll.store.baselines import baselines
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store

    with open_store() as store:
        found = baselines(store)
    if json:
        print_json(
            [
                {"baseline": name, "session": each.id, "title": each.title, "started_ns": each.started_ns}
                for name, each in found.items()
            ]
        )
    elif not found:
        say("no baseline yet; `plimsoll baseline set NAME` names the last session")
    else:
        print_list(
            [
                {
                    "baseline": name,
                    "session": short_id(each.id),
                    "started": when(each.started_ns),
                    "targets": ", ".join(each.target_names),
                    "title": each.title,
                }
                for name, each in found.items()
            ]
        )
