"""The permissions that rented databases need, and what ends them, as statements of an IAM policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.clouds.providers.aws.tags import RENTAL

_OURS = {"Null": {f"aws:ResourceTag/{RENTAL}": "false"}}
_NEW = {"Null": {f"aws:RequestTag/{RENTAL}": "false"}}
_DATABASES = ["arn:aws:rds:*:*:db:plimsoll-*", "arn:aws:rds:*:*:subgrp:plimsoll-*"]
_ROLES = "arn:aws:iam::*:role/plimsoll/*"
_SCHEDULES = ["arn:aws:scheduler:*:*:schedule-group/plimsoll-*", "arn:aws:scheduler:*:*:schedule/plimsoll-*"]
_TO_SCHEDULER = {"StringEquals": {"iam:PassedToService": "scheduler.amazonaws.com"}}


def _allow(sid: str, actions: Sequence[str], where: object, when: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    found = {"Sid": sid, "Effect": "Allow", "Action": [*actions], "Resource": where}
    return {**found, "Condition": when} if when else found


STATEMENTS: Sequence[Mapping[str, Any]] = (
    _allow(
        "LookAtDatabases",
        (
            "iam:ListRoles",
            "iam:SimulatePrincipalPolicy",
            "rds:DescribeDBInstances",
            "rds:DescribeDBSubnetGroups",
            "rds:DescribeOrderableDBInstanceOptions",
            "rds:ListTagsForResource",
            "scheduler:ListScheduleGroups",
            "scheduler:ListSchedules",
        ),
        "*",
    ),
    _allow(
        "RentDatabasesWithTags",
        ("rds:CreateDBInstance", "rds:CreateDBSubnetGroup", "rds:AddTagsToResource"),
        [*_DATABASES, "arn:aws:rds:*:*:pg:default*", "arn:aws:rds:*:*:og:default*"],
    ),
    _allow("EndDatabases", ("rds:DeleteDBInstance", "rds:DeleteDBSubnetGroup"), _DATABASES, _OURS),
    _allow(
        "ScheduleTheirEnd",
        (
            "scheduler:CreateSchedule",
            "scheduler:CreateScheduleGroup",
            "scheduler:DeleteSchedule",
            "scheduler:DeleteScheduleGroup",
            "scheduler:GetSchedule",
            "scheduler:ListTagsForResource",
            "scheduler:TagResource",
        ),
        _SCHEDULES,
    ),
    _allow("MakeTheirRole", ("iam:CreateRole", "iam:TagRole"), _ROLES, _NEW),
    _allow(
        "UseTheirRole",
        ("iam:DeleteRole", "iam:DeleteRolePolicy", "iam:GetRole", "iam:ListRoleTags", "iam:PutRolePolicy"),
        _ROLES,
    ),
    _allow("GiveTheirRole", ("iam:PassRole",), _ROLES, _TO_SCHEDULER),
)
