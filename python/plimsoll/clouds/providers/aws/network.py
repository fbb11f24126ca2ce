"""Who reaches the machines: a key pair, and a group that lets in the caller's address by SSH; both the rental's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from plimsoll.clouds.provider import Resource, Step
from plimsoll.clouds.providers.aws.client import call, pages
from plimsoll.clouds.providers.aws.errors import Already, Gone
from plimsoll.clouds.providers.aws.tags import filters, resource, specifications
from plimsoll.clouds.providers.aws.waiting import APPEARS_S, until
from plimsoll.clouds.wanted import Rental

KEY_PAIR, GROUP = "key-pair", "security-group"
KEY = "key"
"""The file of the private key: it is made here, and never sent."""
SSH = 22


def name(rental_id: str) -> str:
    """Of the key pair and the group."""
    return f"plimsoll-{rental_id}"


def new_key(file: Path) -> tuple[str, str]:
    """A private key in a file of mode 0600, made once, and its public half, both as OpenSSH writes them."""
    import asyncssh

    if not file.exists():
        private = asyncssh.generate_private_key("ssh-ed25519", comment="plimsoll").export_private_key()
        draft = file.with_suffix(".part")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
            written.write(private)
        draft.rename(file)
    text = file.read_text()
    return text, asyncssh.import_private_key(text).export_public_key().decode().strip()


def make_key_pair(rental: Rental, step: Step, folder: Path) -> Resource:
    """The public half of a key that is made here."""
    _, public = new_key(folder / KEY)
    tagged = specifications(rental, step.name, [KEY_PAIR])
    arguments = {"KeyName": name(rental.id), "PublicKeyMaterial": public.encode(), "TagSpecifications": tagged}
    try:
        made = call(rental.region, "ec2", "import_key_pair", **arguments)
    except Already:
        # The name is random: an earlier attempt, whose answer was lost, has made it from the same key.
        made = until(lambda: next(_key_pairs(rental.region, rental.id), None), lambda: "no key pair", APPEARS_S)
    return resource(KEY_PAIR, made["KeyPairId"], rental.region, made)


def make_group(rental: Rental, step: Step) -> Resource:
    """A group that only the caller's address reaches, and only by SSH."""
    tagged = specifications(rental, step.name, [GROUP])
    about = {"GroupName": name(rental.id), "Description": f"SSH for Plimsoll, rental {rental.id}"}
    about |= {"VpcId": step.details["network"]}
    try:
        made = call(rental.region, "ec2", "create_security_group", **about, TagSpecifications=tagged)["GroupId"]
    except Already:
        made = until(lambda: _group_id(rental), lambda: "no security group", APPEARS_S)
    until(lambda: _open(rental, made), lambda: f"security group {made} cannot be described", APPEARS_S)
    return resource(GROUP, made, rental.region, {"Tags": tagged[0]["Tags"]})


def group_id(rental: Rental) -> str:
    """The id of the group that was made."""
    return until(lambda: _group_id(rental), lambda: "the security group cannot be described", APPEARS_S)


def resources(region: str, rental: str | None) -> Iterator[Resource]:
    """Groups and key pairs, and cards that have outlived their machines."""
    for each in pages(region, "ec2", "describe_network_interfaces", "NetworkInterfaces", Filters=filters(rental)):
        tagged = {"Tags": each.get("TagSet", ())}
        if each["Status"] == "available":
            yield resource("network-interface", each["NetworkInterfaceId"], region, tagged, each["Status"])
    for each in pages(region, "ec2", "describe_security_groups", "SecurityGroups", Filters=filters(rental)):
        yield resource(GROUP, each["GroupId"], region, each)
    for each in _key_pairs(region, rental):
        yield resource(KEY_PAIR, each["KeyPairId"], region, each)


def delete(each: Resource) -> None:
    """The call that ends it."""
    match each.kind:
        case "network-interface":
            call(each.region, "ec2", "delete_network_interface", NetworkInterfaceId=each.id)
        case kind if kind == GROUP:
            call(each.region, "ec2", "delete_security_group", GroupId=each.id)
        case _:
            call(each.region, "ec2", "delete_key_pair", KeyPairId=each.id)


def _open(rental: Rental, group: str) -> bool:
    source = {"CidrIp": rental.from_address, "Description": "who rents it"}
    if ":" in rental.from_address:
        source = {"CidrIpv6": rental.from_address, "Description": "who rents it"}
    ranges = "Ipv6Ranges" if "CidrIpv6" in source else "IpRanges"
    rule: dict[str, Any] = {"IpProtocol": "tcp", "FromPort": SSH, "ToPort": SSH, ranges: [source]}
    with suppress(Already):
        call(rental.region, "ec2", "authorize_security_group_ingress", GroupId=group, IpPermissions=[rule])
    return True


def _group_id(rental: Rental) -> str | None:
    found = pages(rental.region, "ec2", "describe_security_groups", "SecurityGroups", Filters=filters(rental.id))
    return next((str(each["GroupId"]) for each in found), None)


def _key_pairs(region: str, rental: str | None) -> Iterator[Any]:
    try:
        yield from call(region, "ec2", "describe_key_pairs", Filters=filters(rental))["KeyPairs"]
    except Gone:
        return
