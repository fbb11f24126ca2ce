"""`plimsoll cloud selftest`: the whole way once, small, in the user's own account."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from plimsoll.cli.cloud._options import Provider
from plimsoll.cli.options import Json
from plimsoll.cli.streams import LogJson, Otlp, Streams

EXAMPLES = (
    "`plimsoll cloud selftest --budget 1USD`, `plimsoll cloud selftest --instance m5.large --region eu-west-1 …`."
)


def command(
    budget: Annotated[str, typer.Option("--budget", metavar="1USD", help="The most that it may cost.")],
    provider: Provider = "aws",
    instance: Annotated[str, typer.Option("--instance", metavar="TYPE", help="Type of its machine.")] = "t3.small",
    kind: Annotated[
        str, typer.Option("--volume", metavar="TYPE,size=…", help="Its volume, as in a target.")
    ] = "gp3,size=4GiB",
    region: Annotated[
        str | None, typer.Option("--region", metavar="us-east-1", help="Where. Default: the provider's home region.")
    ] = None,
    zone: Annotated[str | None, typer.Option("--zone", metavar="us-east-1a", help="The zone in it.")] = None,
    json: Json = False,
    log_json: LogJson = None,
    otlp: Otlp = None,
) -> None:
    """Rent one small machine and volume, and say what was verified.

    It is measured for seconds and given back. What only a real account can show is seen this way. The session is kept
    in the store, as that of `plimsoll run` is.
    """
    from plimsoll.api.measuring import all_carried_out
    from plimsoll.cli.output import print_json
    from plimsoll.cli.progress import observer
    from plimsoll.clouds.verified import verified
    from plimsoll.run.renting import renting_of
    from plimsoll.run.study import from_words
    from plimsoll.store.opening import open_store

    given: dict[str, Any] = {"instance": instance, "region": region, "zone": zone, "budget": budget}
    rent = renting_of({name: value for name, value in given.items() if value})
    settings = ("size=64MiB", "runtime=2s", "warmup=500ms")
    # Asked is whether a volume can be measured, not how fast it is: what neighbours of the host do is no failure of it.
    study = from_words(
        ["randread"],
        [f"volume={provider}:{kind}"],
        shared=settings,
        title="self-test",
        rent=rent,
        repeats=3,
        noisy_host=True,
    )
    with open_store() as store, observer(quiet=json, streams=Streams(log_json, otlp)) as watching:
        (session,) = all_carried_out(study, store, watching)
        found = verified(session, store.runs([session.id]))
    if json:
        print_json([{"what": each.what, "ok": each.ok, "seen": each.seen} for each in found])
    else:
        for each in found:
            typer.echo(f"{'verified' if each.ok else 'FAILED'}: {each.what} ({each.seen})")
    if not all(each.ok for each in found):
        raise typer.Exit(1)
