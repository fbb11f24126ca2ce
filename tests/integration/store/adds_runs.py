"""Adds runs to a store until it is killed, or COUNT of them; prints the id of each when it is on disk.

python -m tests.integration.store.adds_runs STORE SESSION SEED [COUNT]
"""

from __future__ import annotations

import random
import sys
import time
from itertools import count

from tests.factories import make_plan, make_run, make_target

from plimsoll.store.opening import open_store


def main(url: str, session_id: str, seed: str, limit: str = "") -> None:
    rng = random.Random(seed)
    target, plan = make_target("a"), make_plan("randrw")
    with open_store(url) as store:
        for number in range(int(limit)) if limit else count():
            run = make_run(rng, session_id, target, plan, block=number, artefacts=True, started_ns=time.time_ns())
            store.add_run(run)
            print(run.id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
