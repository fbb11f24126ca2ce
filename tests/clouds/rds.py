"""RDS beside moto: what moto leaves out of it, schedules that run, and real servers behind the databases.

with emulated(proxy) as rds:                      permissions, offers, states; no server
with emulated(proxy, server=start) as rds:        start(Created) → Server when a database is made
rds.forbidden |= {"scheduler:CreateSchedule"}     what the caller may not do
rds.run_schedules(at_ns)                          all schedules that are due do what they say
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from tests.clouds.fixtures import account
from tests.clouds.proxy import Answer, Call, Proxy

STORAGE = ("gp2", "gp3", "io1", "io2")
ENGINES = ("mysql", "mariadb", "postgres")


@dataclass(frozen=True)
class Created:
    """A database as CreateDBInstance asked for it."""

    identifier: str
    parameters: dict[str, str]


class Server(Protocol):
    """What answers for a database."""

    address: str
    port: int

    def stop(self) -> None: ...


@dataclass
class Rds:
    """The emulated service."""

    proxy: Proxy
    server: Callable[[Created], Server] | None
    forbidden: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    """What is refused, though asking said that it is allowed."""
    simulation_denied: bool = False
    creating: int = 1
    """How often a database is described as still being made."""
    created: dict[str, Created] = field(default_factory=dict)
    servers: dict[str, Server] = field(default_factory=dict)
    _described: dict[str, int] = field(default_factory=dict)

    def before(self, call: Call) -> Answer | None:
        """Answers in the place of moto."""
        action = f"{call.service}:{name(call)}"
        if action in self.forbidden | self.refused:
            return _refused("AccessDenied" if call.parameters else "AccessDeniedException", call)
        match call.action:
            case "SimulatePrincipalPolicy":
                return _refused("AccessDenied", call) if self.simulation_denied else self._simulated(call)
            case "DescribeOrderableDBInstanceOptions":
                return _offers(call)
            case "DeleteDBSubnetGroup" if account(self.proxy.moto, "rds").describe_db_instances()["DBInstances"]:
                return _refused("InvalidDBSubnetGroupStateFault", call)
        return None

    def after(self, call: Call, answer: Answer) -> Answer | None:
        """What has changed, and what a description leaves out."""
        identifier = call.parameters.get("DBInstanceIdentifier", "")
        if call.action == "CreateDBInstance" and answer.status == 200:
            self.created[identifier] = Created(identifier, call.parameters)
            if self.server is not None:
                self.servers[identifier] = self.server(self.created[identifier])
        if call.action == "DeleteDBInstance" and answer.status == 200:
            self.ended(identifier)
        return self._described_as_is(answer) if call.action == "DescribeDBInstances" else None

    def run_schedules(self, at_ns: int) -> list[str]:
        """Delete what the schedules that are due delete, as the scheduler would; their identifiers."""
        scheduler, rds = (account(self.proxy.moto, name) for name in ("scheduler", "rds"))
        ended = []
        for each in scheduler.list_schedules()["Schedules"]:
            told = scheduler.get_schedule(GroupName=each["GroupName"], Name=each["Name"])
            written = told["ScheduleExpression"].removeprefix("at(").removesuffix(")")
            if datetime.fromisoformat(written).replace(tzinfo=UTC).timestamp() * 1e9 > at_ns:
                continue
            assert told["Target"]["Arn"] == "arn:aws:scheduler:::aws-sdk:rds:deleteDBInstance"
            asked = json.loads(told["Target"]["Input"])
            identifier = asked["DbInstanceIdentifier"]
            self._check_role(told["Target"]["RoleArn"], identifier)
            if identifier in [one["DBInstanceIdentifier"] for one in rds.describe_db_instances()["DBInstances"]]:
                words = {name: asked[name] for name in ("SkipFinalSnapshot", "DeleteAutomatedBackups")}
                rds.delete_db_instance(DBInstanceIdentifier=identifier, **words)
                self.ended(identifier)
                ended.append(identifier)
            assert told["ActionAfterCompletion"] == "DELETE"
            scheduler.delete_schedule(GroupName=each["GroupName"], Name=each["Name"])
        return ended

    def ended(self, identifier: str) -> None:
        """Stop what answers for a database."""
        if server := self.servers.pop(identifier, None):
            server.stop()

    def close(self) -> None:
        """Stop everything."""
        for identifier in list(self.servers):
            self.ended(identifier)

    def _check_role(self, arn: str, identifier: str) -> None:
        iam = account(self.proxy.moto, "iam")
        name = arn.rpartition("/")[2]
        assert iam.get_role(RoleName=name)["Role"]["Arn"] == arn
        policies = iam.list_role_policies(RoleName=name)["PolicyNames"]
        allowed = [iam.get_role_policy(RoleName=name, PolicyName=each)["PolicyDocument"] for each in policies]
        statements = [one for each in allowed for one in each["Statement"]]
        [own] = [each["Resource"] for each in statements if each["Action"] == "rds:DeleteDBInstance"]
        assert f":db:{identifier}".startswith(own[own.index(":db:") :].rstrip("*"))

    def _simulated(self, call: Call) -> Answer:
        names = [value for name, value in call.parameters.items() if name.startswith("ActionNames.member.")]
        found = "".join(
            f"<member><EvalActionName>{name}</EvalActionName>"
            f"<EvalDecision>{'implicitDeny' if name in self.forbidden else 'allowed'}</EvalDecision></member>"
            for name in names
        )
        return _xml("SimulatePrincipalPolicy", f"<EvaluationResults>{found}</EvaluationResults>", IAM)

    def _described_as_is(self, answer: Answer) -> Answer:
        root = ElementTree.fromstring(answer.body)
        for item in root.iter():
            if item.tag.rpartition("}")[2] != "DBInstance":
                continue
            identifier = item.findtext("{*}DBInstanceIdentifier") or ""
            self._described[identifier] = self._described.get(identifier, 0) + 1
            status, endpoint = item.find("{*}DBInstanceStatus"), item.find("{*}Endpoint")
            if status is not None and self._described[identifier] <= self.creating:
                status.text = "creating"
                if endpoint is not None:
                    item.remove(endpoint)
            elif endpoint is not None and (server := self.servers.get(identifier)):
                _set(endpoint, "Address", server.address)
                _set(endpoint, "Port", str(server.port))
        return Answer(answer.status, ElementTree.tostring(root), answer.headers)


def managed(moto: str) -> list[str]:
    """All databases of the account, whoever's they are, with what is beside them and what ends them."""
    rds, scheduler = account(moto, "rds"), account(moto, "scheduler")
    found = [each["DBInstanceIdentifier"] for each in rds.describe_db_instances()["DBInstances"]]
    found += [each["DBSubnetGroupName"] for each in rds.describe_db_subnet_groups()["DBSubnetGroups"]]
    found += [each["DBSnapshotIdentifier"] for each in rds.describe_db_snapshots()["DBSnapshots"]]
    found += [each["Name"] for each in scheduler.list_schedules()["Schedules"]]
    found += [each["Name"] for each in scheduler.list_schedule_groups()["ScheduleGroups"] if each["Name"] != "default"]
    return found + [each["RoleName"] for each in account(moto, "iam").list_roles()["Roles"]]


@contextmanager
def emulated(proxy: Proxy, server: Callable[[Created], Server] | None = None) -> Iterator[Rds]:
    """RDS behind a proxy."""
    rds = Rds(proxy, server)
    proxy.before.append(rds.before)
    proxy.after.append(rds.after)
    try:
        yield rds
    finally:
        rds.close()


RDS = "http://rds.amazonaws.com/doc/2014-10-31/"
IAM = "https://iam.amazonaws.com/doc/2010-05-08/"
REST = {
    "/schedules": {"GET": "ListSchedules"},
    "/schedules/": {"GET": "GetSchedule", "POST": "CreateSchedule", "DELETE": "DeleteSchedule"},
    "/schedule-groups": {"GET": "ListScheduleGroups"},
    "/schedule-groups/": {"POST": "CreateScheduleGroup", "DELETE": "DeleteScheduleGroup"},
    "/tags/": {"GET": "ListTagsForResource"},
}


def name(call: Call) -> str:
    """The action of a call, also of the scheduler's, which are told by their paths."""
    method, _, path = call.action.partition(" ")
    start = "/".join(path.partition("?")[0].split("/")[:2]) + ("/" if path.count("/") > 1 else "")
    return REST.get(start, {}).get(method, call.action)


def _offers(call: Call) -> Answer:
    engine, kind = call.parameters["Engine"], call.parameters["DBInstanceClass"]
    sold = STORAGE if engine in ENGINES and kind != "db.none.large" else ()
    about = f"<Engine>{engine}</Engine><DBInstanceClass>{kind}</DBInstanceClass>"
    found = "".join(
        f"<OrderableDBInstanceOption>{about}<StorageType>{each}</StorageType></OrderableDBInstanceOption>"
        for each in sold
    )
    options = f"<OrderableDBInstanceOptions>{found}</OrderableDBInstanceOptions>"
    return _xml("DescribeOrderableDBInstanceOptions", options, RDS)


def _xml(action: str, result: str, namespace: str) -> Answer:
    text = f'<{action}Response xmlns="{namespace}"><{action}Result>{result}</{action}Result></{action}Response>'
    return Answer(200, text.encode(), {"Content-Type": "text/xml"})


def _refused(code: str, call: Call) -> Answer:
    message = f"not authorized to perform: {call.service}:{call.action}" if "Denied" in code else code
    if not call.parameters:
        headers = {"Content-Type": "application/json", "x-amzn-ErrorType": code}
        return Answer(403, json.dumps({"Message": message}).encode(), headers)
    error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
    body = f"<ErrorResponse>{error}</ErrorResponse>"
    return Answer(403 if "Denied" in code else 400, body.encode(), {"Content-Type": "text/xml"})


def _set(parent: Any, name: str, text: str) -> None:
    child = parent.find(f"{{*}}{name}")
    if child is not None:
        child.text = text
