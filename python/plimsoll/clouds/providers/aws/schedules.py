"""The end of databases, which have no timer of their own: EventBridge Scheduler deletes each at the end of the lease.

All of it is made before the database is: a role that may delete the rental's databases and nothing else, a group that
carries the tags, since schedules have none, and one schedule for each database, which is gone once it has run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plimsoll.clouds.provider import Resource, Step
from plimsoll.clouds.providers.aws.client import call, pages
from plimsoll.clouds.providers.aws.errors import Already, Gone
from plimsoll.clouds.providers.aws.tags import RENTAL, resource, tags
from plimsoll.clouds.providers.aws.waiting import APPEARS_S, until
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError, NotYet

ROLE, GROUP, SCHEDULE = "role", "schedule-group", "schedule"
START = "plimsoll-"
POLICY = "end-databases"
DELETE_DATABASE = "arn:aws:scheduler:::aws-sdk:rds:deleteDBInstance"
KINDS = (ROLE, GROUP, SCHEDULE)
NEEDED = (
    "iam:CreateRole",
    "iam:PassRole",
    "iam:PutRolePolicy",
    "iam:TagRole",
    "scheduler:CreateSchedule",
    "scheduler:CreateScheduleGroup",
    "scheduler:TagResource",
)
"""Without any of these a database has no end of its own."""


def identifier(rental_id: str, number: int) -> str:
    """Of the rental's first, second, … database."""
    return f"{START}{rental_id}-{number}"


def role(rental_id: str) -> str:
    """Its name."""
    return f"{START}{rental_id}-end"


def group(rental_id: str) -> str:
    """Its name."""
    return f"{START}{rental_id}-ends"


def path(region: str) -> str:
    """Of the roles of rentals in a region: roles are of no region themselves."""
    return f"/plimsoll/{region}/"


def steps(rental: Rental) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Kind, name and details of what ends the databases, in the order in which it is made."""
    yield ROLE, "end-role", {}
    yield GROUP, "end-group", {}
    for number, database in enumerate(rental.databases, 1):
        yield SCHEDULE, f"end.{database.target}", {"identifier": identifier(rental.id, number)}


def make_role(rental: Rental, step: Step, folder: Path) -> Resource:  # noqa: ARG001
    """The role; made twice it is the same, and has its policy in any case."""
    trusted = {"Effect": "Allow", "Principal": {"Service": "scheduler.amazonaws.com"}, "Action": "sts:AssumeRole"}
    about = {"RoleName": role(rental.id), "Path": path(rental.region), "AssumeRolePolicyDocument": _policy(trusted)}
    with suppress(Already):
        call(rental.region, "iam", "create_role", **about, Tags=tags(rental, step.name))
    _allow(rental)
    return resource(ROLE, role(rental.id), rental.region, {"Tags": tags(rental, step.name)})


def make_group(rental: Rental, step: Step, folder: Path) -> Resource:  # noqa: ARG001
    """The group, with the tags of all its schedules."""
    about = {"Name": group(rental.id), "Tags": tags(rental, step.name), "ClientToken": step.token}
    with suppress(Already):
        call(rental.region, "scheduler", "create_schedule_group", **about)
    return resource(GROUP, group(rental.id), rental.region, {"Tags": tags(rental, step.name)})


def make_schedule(rental: Rental, step: Step, folder: Path) -> Resource:  # noqa: ARG001
    """One deletion at the end of the lease: no last snapshot, no backups kept."""
    moment = datetime.fromtimestamp(rental.lease_end_ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    deletion = {
        "DbInstanceIdentifier": step.details["identifier"],
        "SkipFinalSnapshot": True,
        "DeleteAutomatedBackups": True,
    }
    about = {
        "Name": step.name,
        "GroupName": group(rental.id),
        "ScheduleExpression": f"at({moment})",
        "ScheduleExpressionTimezone": "UTC",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "ActionAfterCompletion": "DELETE",
        "Target": {"Arn": DELETE_DATABASE, "RoleArn": _role_arn(rental), "Input": json.dumps(deletion)},
        "ClientToken": step.token,
    }

    def made() -> bool | None:
        try:
            call(rental.region, "scheduler", "create_schedule", **about)
        except Already:
            pass
        except CloudError as error:
            # A role that has just been made cannot be assumed for some seconds.
            if "role" not in str(error) or "ValidationException" not in str(error):
                raise
            return None
        return True

    until(made, lambda: "the role of the schedule cannot be used", APPEARS_S)
    return resource(SCHEDULE, _id(group(rental.id), step.name), rental.region, {"Tags": tags(rental, step.name)})


def resources(region: str, rental: str | None) -> Iterator[Resource]:
    """Schedules, their groups and roles, in the order in which they can end."""
    groups = list(_groups(region, rental))
    for name, tagged in groups:
        for each in pages(region, "scheduler", "list_schedules", "Schedules", GroupName=name):
            found = resource(SCHEDULE, _id(name, each["Name"]), region, {"Tags": tagged}, each.get("State", ""))
            yield replace(found, name=each["Name"])
    for name, tagged in groups:
        yield resource(GROUP, name, region, {"Tags": tagged})
    for each in pages(region, "iam", "list_roles", "Roles", PathPrefix=path(region)):
        try:
            tagged = call(region, "iam", "list_role_tags", RoleName=each["RoleName"])["Tags"]
        except Gone:
            continue
        if _ours(tagged, rental):
            yield resource(ROLE, each["RoleName"], region, {"Tags": tagged})


def delete(each: Resource) -> None:
    """End one of them; a schedule only once its database is about to end, since until then it is what ends it."""
    with suppress(Gone):
        if each.kind == ROLE:
            _delete_role(each)
        elif each.kind == GROUP:
            call(each.region, "scheduler", "delete_schedule_group", Name=each.id)
        else:
            _delete_schedule(each)


def forbidden(region: str) -> Sequence[str] | None:
    """Which of the permissions for it these credentials have not; None where that cannot be asked."""
    try:
        caller = str(call(region, "sts", "get_caller_identity")["Arn"])
        about = {"PolicySourceArn": _principal(caller), "ActionNames": [*NEEDED]}
        found = call(region, "iam", "simulate_principal_policy", **about)["EvaluationResults"]
    except CloudError:
        return None
    return [str(each["EvalActionName"]) for each in found if each["EvalDecision"] != "allowed"]


def _principal(arn: str) -> str:
    """Of a session of a role, the role."""
    prefix, _, rest = arn.partition(":assumed-role/")
    return f"{prefix.replace(':sts:', ':iam:')}:role/{rest.partition('/')[0]}" if rest else arn


def _allow(rental: Rental) -> None:
    own = f"arn:aws:rds:{rental.region}:*:db:{START}{rental.id}-*"
    allowed = {"Effect": "Allow", "Action": "rds:DeleteDBInstance", "Resource": own}
    about = {"RoleName": role(rental.id), "PolicyName": POLICY, "PolicyDocument": _policy(allowed)}
    until(lambda: call(rental.region, "iam", "put_role_policy", **about), lambda: "no role", APPEARS_S)


def _role_arn(rental: Rental) -> str:
    found = until(
        lambda: call(rental.region, "iam", "get_role", RoleName=role(rental.id)), lambda: "no role", APPEARS_S
    )
    return str(found["Role"]["Arn"])


def _policy(statement: Mapping[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _groups(region: str, rental: str | None) -> Iterator[tuple[str, list[dict[str, str]]]]:
    for each in pages(region, "scheduler", "list_schedule_groups", "ScheduleGroups", NamePrefix=START + (rental or "")):
        try:
            tagged = call(region, "scheduler", "list_tags_for_resource", ResourceArn=each["Arn"])["Tags"]
        except Gone:
            continue
        if each.get("State") != "DELETING" and _ours(tagged, rental):
            yield str(each["Name"]), tagged


def _ours(tagged: Sequence[Mapping[str, str]], rental: str | None) -> bool:
    found = next((each["Value"] for each in tagged if each["Key"] == RENTAL), None)
    return found is not None and rental in (None, found)


def _id(within: str, schedule: str) -> str:
    return f"{within}/{schedule}"


def _delete_role(each: Resource) -> None:
    with suppress(Gone):
        call(each.region, "iam", "delete_role_policy", RoleName=each.id, PolicyName=POLICY)
    call(each.region, "iam", "delete_role", RoleName=each.id)


def _delete_schedule(each: Resource) -> None:
    within, _, schedule = each.id.partition("/")
    target = call(each.region, "scheduler", "get_schedule", GroupName=within, Name=schedule)["Target"]
    database = json.loads(target["Input"])["DbInstanceIdentifier"]
    try:
        found = call(each.region, "rds", "describe_db_instances", DBInstanceIdentifier=database)["DBInstances"]
    except Gone:
        found = []
    if any(one["DBInstanceStatus"] != "deleting" for one in found):
        raise NotYet(f"schedule {schedule} stays for as long as database {database} does")
    call(each.region, "scheduler", "delete_schedule", GroupName=within, Name=schedule)
