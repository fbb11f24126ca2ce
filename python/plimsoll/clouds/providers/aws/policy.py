"""The smallest set of permissions that renting needs, as an IAM policy.

What can be told apart by tags is: nothing may be ended that has not the tag of a rental.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.clouds.providers.aws import database_policy
from plimsoll.clouds.providers.aws.tags import RENTAL

_KINDS = ("instance", "volume", "network-interface", "security-group", "key-pair")
_OURS = {"Null": {f"aws:ResourceTag/{RENTAL}": "false"}}
_NEW = {"Null": {f"aws:RequestTag/{RENTAL}": "false"}}
STATEMENTS: Sequence[Mapping[str, Any]] = (
    {
        "Sid": "Look",
        "Effect": "Allow",
        "Action": [
            "ec2:DescribeImages",
            "ec2:DescribeInstances",
            "ec2:DescribeInstanceTypeOfferings",
            "ec2:DescribeKeyPairs",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeSecurityGroups",
            "ec2:DescribeSubnets",
            "ec2:DescribeVolumes",
            "servicequotas:GetServiceQuota",
        ],
        "Resource": "*",
    },
    {
        "Sid": "FindImages",
        "Effect": "Allow",
        "Action": ["ssm:GetParameter"],
        "Resource": "arn:aws:ssm:*::parameter/aws/service/*",
    },
    {
        "Sid": "RentFromWhatIsThere",
        "Effect": "Allow",
        "Action": ["ec2:RunInstances"],
        "Resource": [
            "arn:aws:ec2:*::image/*",
            "arn:aws:ec2:*::snapshot/*",
            *(f"arn:aws:ec2:*:*:{kind}/*" for kind in ("subnet", "security-group", "key-pair")),
        ],
    },
    {
        "Sid": "OpenAGroupThere",
        "Effect": "Allow",
        "Action": ["ec2:CreateSecurityGroup"],
        "Resource": "arn:aws:ec2:*:*:vpc/*",
    },
    {
        "Sid": "RentWithTags",
        "Effect": "Allow",
        "Action": ["ec2:RunInstances", "ec2:CreateSecurityGroup", "ec2:ImportKeyPair"],
        "Resource": [f"arn:aws:ec2:*:*:{kind}/*" for kind in _KINDS],
        "Condition": _NEW,
    },
    {
        "Sid": "TagWhatIsNew",
        "Effect": "Allow",
        "Action": ["ec2:CreateTags"],
        "Resource": "arn:aws:ec2:*:*:*/*",
        "Condition": {"StringEquals": {"ec2:CreateAction": ["RunInstances", "CreateSecurityGroup", "ImportKeyPair"]}},
    },
    {
        "Sid": "TellOlderDisksApart",
        "Effect": "Allow",
        "Action": ["ec2:AttachVolume", "ec2:DetachVolume", "ec2:ModifyInstanceAttribute"],
        "Resource": [f"arn:aws:ec2:*:*:{kind}/*" for kind in ("instance", "volume")],
        "Condition": _OURS,
    },
    {
        "Sid": "EndWhatIsOurs",
        "Effect": "Allow",
        "Action": [
            "ec2:AuthorizeSecurityGroupIngress",
            "ec2:DeleteKeyPair",
            "ec2:DeleteNetworkInterface",
            "ec2:DeleteSecurityGroup",
            "ec2:DeleteVolume",
            "ec2:TerminateInstances",
        ],
        "Resource": [f"arn:aws:ec2:*:*:{kind}/*" for kind in _KINDS],
        "Condition": _OURS,
    },
)


def policy() -> Mapping[str, Any]:
    """All of it, in the format of IAM."""
    return {"Version": "2012-10-17", "Statement": [*STATEMENTS, *database_policy.STATEMENTS]}


def granting(action: str) -> Mapping[str, Any] | None:
    """The statement that grants an action such as ec2:RunInstances, with that action alone."""
    for each in reversed(policy()["Statement"]):
        if action in each["Action"]:
            return {**each, "Action": [action]}
    return None
