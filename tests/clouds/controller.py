"""Sessions that can be killed: `python -m tests.clouds.controller` forks one for each line that it reads.

A line is JSON: what to do (`rent` or `sweep`), and the rental. It answers with the process id of the session, then with
its exit status once it has ended. Forking saves a second for each of many hundred sessions.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from pydantic import TypeAdapter

from plimsoll.clouds import finding, rent, sweep
from plimsoll.clouds.providers.aws import client, waiting
from plimsoll.clouds.rent import renting
from plimsoll.clouds.wanted import Rental

SERVICES = ("ec2", "ssm", "service-quotas", "rds", "scheduler", "iam", "sts")
SETTLING_S, POLL_S = 0.3, 0.02


def main() -> None:
    rent.SETTLING_S, rent.POLL_S, waiting.POLL_S = SETTLING_S, POLL_S, POLL_S
    for service in SERVICES:
        client._client(service, "us-east-1")
    for line in sys.stdin:
        session = os.fork()
        if session == 0:
            _session(json.loads(line))
        print(session, flush=True)
        print(os.waitpid(session, 0)[1], flush=True)


def _session(wanted: dict[str, Any]) -> None:
    code = 1
    try:
        if wanted["do"] == "sweep":
            sweep.abandoned()
        else:
            cloud, rental = finding.cloud("aws"), TypeAdapter(Rental).validate_python(wanted["rental"])
            cloud.check(rental)
            with renting(cloud, rental) as rented:
                rented.hosts()
                rented.interrupted(rental.machines[0].name)
                if rental.databases:
                    rented.endpoints()
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
