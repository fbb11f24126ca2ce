"""RDS: databases for the machines of a rental alone, without backups, in subnets of their network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from plimsoll.catalog.databases import CLASS_PREFIX, ENGINES
from plimsoll.clouds import databases as rented
from plimsoll.clouds import lease
from plimsoll.clouds.provider import Endpoint, PriceLine, Resource, Step
from plimsoll.clouds.providers.aws import network, schedules
from plimsoll.clouds.providers.aws.client import call, pages
from plimsoll.clouds.providers.aws.errors import Already, Forbidden, Gone
from plimsoll.clouds.providers.aws.prices import BURSTABLE_DATABASES, beyond_share
from plimsoll.clouds.providers.aws.tags import RENTAL, resource, tags
from plimsoll.clouds.providers.aws.waiting import until
from plimsoll.clouds.wanted import Database, Rental
from plimsoll.errors import CloudError
from plimsoll.notices import tell
from plimsoll.prices.book import price_book
from plimsoll.prices.cost import HOURS_PER_MONTH, usd
from plimsoll.targets.rented_database import NAME, USER, address
from plimsoll.units import GIB, MIB

SUBNETS, DATABASE = "subnet-group", "database"
READY_S = 2400.0
"""RDS makes a database in five to twenty minutes."""
BROKEN = ("failed", "incompatible-network", "incompatible-parameters", "incompatible-restore", "storage-full")
SUBNETS_NEEDED = 2
"""RDS wants subnets in so many zones, also for a database in one."""


def steps(rental: Rental, vpc: str, zone: str | None) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Kind, name and details of what is made for the databases, what ends them first."""
    if not rental.databases:
        return
    if outliving(rental) is None:
        yield from schedules.steps(rental)
    yield SUBNETS, "subnet-group", {"network": vpc}
    for number, each in enumerate(rental.databases, 1):
        own = {"identifier": schedules.identifier(rental.id, number), "target": each.target}
        yield DATABASE, f"db.{each.target}", {**own, "zone": each.zone or zone}


def subnets(rental_id: str) -> str:
    """The name of their group."""
    return f"{schedules.START}{rental_id}-subnets"


def make_subnets(rental: Rental, step: Step, folder: Path) -> Resource:  # noqa: ARG001
    """A group of the network's subnets."""
    where = [{"Name": "vpc-id", "Values": [step.details["network"]]}]
    found = pages(rental.region, "ec2", "describe_subnets", "Subnets", Filters=where)
    zones = {each["AvailabilityZone"]: str(each["SubnetId"]) for each in found}
    if len(zones) < SUBNETS_NEEDED:
        raise CloudError(
            f"network {step.details['network']} in {rental.region} has subnets in {len(zones)} zone, and RDS needs "
            f"them in {SUBNETS_NEEDED}; make one in another zone"
        )
    about = {"DBSubnetGroupName": subnets(rental.id), "DBSubnetGroupDescription": "Plimsoll"}
    tagged = tags(rental, step.name)
    with suppress(Already):
        call(rental.region, "rds", "create_db_subnet_group", **about, SubnetIds=[*zones.values()], Tags=tagged)
    return resource(SUBNETS, subnets(rental.id), rental.region, {"Tags": tagged})


def make(rental: Rental, step: Step, folder: Path) -> Resource:
    """One database, which only the machines of the rental reach."""
    wanted = next(each for each in rental.databases if each.target == step.details["target"])
    group = network.group_id(rental)
    _let_in(rental, group, ENGINES[wanted.engine][2])
    tagged = tags(rental, step.name)
    identity = str(step.details["identifier"])
    chosen: dict[str, Any] = {
        "EngineVersion": wanted.version,
        "Iops": wanted.iops,
        "StorageThroughput": wanted.throughput and round(wanted.throughput / MIB),
        "AvailabilityZone": step.details.get("zone"),
    }
    about = {
        "DBInstanceIdentifier": identity,
        "DBName": NAME,
        "Engine": wanted.engine,
        "DBInstanceClass": wanted.type,
        "AllocatedStorage": wanted.size_bytes // GIB,
        "StorageType": wanted.storage,
        "MasterUsername": USER,
        "MasterUserPassword": rented.password(folder),
        "VpcSecurityGroupIds": [group],
        "DBSubnetGroupName": subnets(rental.id),
        "BackupRetentionPeriod": 0,
        "MultiAZ": False,
        "PubliclyAccessible": False,
        "AutoMinorVersionUpgrade": False,
        "DeletionProtection": False,
        **{name: value for name, value in chosen.items() if value is not None},
    }
    # The name is random: what is there already was made by an earlier attempt whose answer was lost.
    with suppress(Already):
        call(rental.region, "rds", "create_db_instance", **about, Tags=tagged)
    return resource(DATABASE, identity, rental.region, {"Tags": tagged}, "creating")


def resources(region: str, rental: str | None) -> list[Resource]:
    """Databases that are not ending, what ends them, and the groups of subnets.

    Who may not list them has rented none: `problems` asks for all of it before.
    """
    try:
        return list(_resources(region, rental))
    except Forbidden as error:
        if rental is None:
            tell(f"databases are not looked for: {error}")
        return []


def _resources(region: str, rental: str | None) -> Iterator[Resource]:
    for each in _databases(region, rental):
        if each["DBInstanceStatus"] != "deleting":
            identity, tagged = str(each["DBInstanceIdentifier"]), {"Tags": each.get("TagList", ())}
            yield resource(DATABASE, identity, region, tagged, str(each["DBInstanceStatus"]))
    yield from schedules.resources(region, rental)
    for each in pages(region, "rds", "describe_db_subnet_groups", "DBSubnetGroups"):
        if str(each["DBSubnetGroupName"]).startswith(schedules.START + (rental or "")):
            tagged = call(region, "rds", "list_tags_for_resource", ResourceName=each["DBSubnetGroupArn"])["TagList"]
            found = resource(SUBNETS, str(each["DBSubnetGroupName"]), region, {"Tags": tagged})
            if found.rental and rental in (None, found.rental):
                yield found


def delete(each: Resource) -> None:
    """Ask for the end of one: of a database without a last snapshot, and without backups."""
    if each.kind in schedules.KINDS:
        schedules.delete(each)
        return
    with suppress(Gone):
        if each.kind == SUBNETS:
            call(each.region, "rds", "delete_db_subnet_group", DBSubnetGroupName=each.id)
        else:
            about = {"DBInstanceIdentifier": each.id, "SkipFinalSnapshot": True, "DeleteAutomatedBackups": True}
            call(each.region, "rds", "delete_db_instance", **about)


def endpoints(rental: Rental, made: Sequence[Resource], folder: Path) -> list[Endpoint]:
    """Wait until all databases answer. Raises CloudError where one does not."""
    found = []
    for each in made:
        if each.kind == DATABASE:
            wanted = next(one for one in rental.databases if f"db.{one.target}" == each.name)
            within_s = min(READY_S, lease.left_s(rental))
            told = until(lambda each=each: _ready(each), lambda each=each: f"{each.id} is not ready", within_s)  # type: ignore[misc]
            found.append(_endpoint(wanted, told, folder))
    return found


MAKE = {
    schedules.ROLE: schedules.make_role,
    schedules.GROUP: schedules.make_group,
    schedules.SCHEDULE: schedules.make_schedule,
    SUBNETS: make_subnets,
    DATABASE: make,
}
"""How each kind is made."""


def prices(rental: Rental) -> list[PriceLine]:
    """What an hour of each database costs: its machine, and its storage as a part of a month."""
    found = []
    for each in rental.databases:
        cost = rented.cost_of(rental.provider, each, rental.region)
        monthly = cost.per_month
        hourly = monthly / HOURS_PER_MONTH if monthly is not None else None
        what = rented.shape_of(rental.provider, each).summary
        found.append(PriceLine(what=f"{each.target}: {what}", per_hour_usd=hourly, date=cost.as_of))
        own = each.type.removeprefix(CLASS_PREFIX)
        if own.startswith(BURSTABLE_DATABASES):
            found.append(beyond_share(each.target, own, "credits.database", rental.region, price_book()))
    return found


def outliving(rental: Rental) -> str | None:
    """What outlives a killed controller, why, and what a day of it costs; None where all end by themselves."""
    if not rental.databases:
        return None
    missing = schedules.forbidden(rental.region)
    if missing == []:
        return None
    why = f"may not {', '.join(missing)}" if missing else "may not ask what they may do (iam:SimulatePrincipalPolicy)"
    costs = [rented.cost_of(rental.provider, each, rental.region).of_time(24 * 3600) for each in rental.databases]
    known = [each for each in costs if each is not None]
    day = f"a day costs {usd(sum(known))}" if len(known) == len(costs) else "what a day costs is not known"
    several = len(rental.databases) > 1
    names = ", ".join(each.target for each in rental.databases)
    return (
        f"database{'s' if several else ''} {names} outlive{'' if several else 's'} a killed controller until "
        f"`plimsoll cloud sweep`, and {day}: these credentials {why}, so nothing else ends "
        f"{'them' if several else 'it'}; to rent {'them' if several else 'it'} nevertheless add --accept-unattended"
    )


def problems(rental: Rental) -> list[str]:
    """Why the databases cannot be rented."""
    if rental.databases and not rental.machines:
        return ["a rented database is measured by machines beside it: add --clients-on aws:m7i.large,count=4"]
    if rental.databases:
        list(_resources(rental.region, rental.id))
    return [each for database in rental.databases for each in _unorderable(rental, database)]


def warnings(rental: Rental) -> list[str]:
    """Classes that hold their storage back."""
    shapes = ((each.target, rented.shape_of(rental.provider, each).capped) for each in rental.databases)
    return [f"target {target}: {capped}" for target, capped in shapes if capped]


def _unorderable(rental: Rental, wanted: Database) -> Iterator[str]:
    about = {"Engine": wanted.engine, "DBInstanceClass": wanted.type}
    about |= {"EngineVersion": wanted.version} if wanted.version else {}
    where = f"target {wanted.target}: RDS in {rental.region}"
    listed = pages(
        rental.region, "rds", "describe_orderable_db_instance_options", "OrderableDBInstanceOptions", **about
    )
    offers = list(listed)
    if not offers:
        version = f" {wanted.version}" if wanted.version else ""
        yield f"{where} has no {wanted.engine}{version} on {wanted.type}; name another class or version"
    elif wanted.storage not in {each["StorageType"] for each in offers}:
        sold = ", ".join(sorted({str(each["StorageType"]) for each in offers}))
        yield f"{where} has no {wanted.storage} with {wanted.engine} on {wanted.type}, but {sold}"


def _let_in(rental: Rental, group: str, port: int) -> None:
    """The rental's group lets its own machines reach its databases."""
    source = [{"GroupId": group, "Description": "clients of databases"}]
    rule = {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "UserIdGroupPairs": source}
    with suppress(Already):
        call(rental.region, "ec2", "authorize_security_group_ingress", GroupId=group, IpPermissions=[rule])


def _databases(region: str, rental: str | None) -> Iterator[Mapping[str, Any]]:
    for each in pages(region, "rds", "describe_db_instances", "DBInstances"):
        told = {tag["Key"]: tag["Value"] for tag in each.get("TagList", ())}
        if RENTAL in told and rental in (None, told[RENTAL]):
            yield each


def _ready(each: Resource) -> Mapping[str, Any] | None:
    found = call(each.region, "rds", "describe_db_instances", DBInstanceIdentifier=each.id)["DBInstances"][0]
    status = str(found["DBInstanceStatus"])
    if status in BROKEN:
        raise CloudError(f"RDS could not make {each.id} in {each.region}: its status is {status}; rent it afresh")
    return found if status == "available" and found.get("Endpoint", {}).get("Address") else None


def _endpoint(wanted: Database, told: Mapping[str, Any], folder: Path) -> Endpoint:
    host, port = str(told["Endpoint"]["Address"]), int(told["Endpoint"]["Port"])
    facts = {
        "class": told["DBInstanceClass"],
        "engine": f"{told['Engine']} {told.get('EngineVersion', '')}".strip(),
        "storage": told.get("StorageType", wanted.storage),
        "size_bytes": int(told["AllocatedStorage"]) * GIB,
        "iops": told.get("Iops"),
        "zone": told.get("AvailabilityZone", ""),
        "backups": "off",
    }
    return Endpoint(
        target=wanted.target,
        id=str(told["DBInstanceIdentifier"]),
        address=address(wanted.engine, host, port),
        password_file=folder / rented.PASSWORD_FILE,
        facts={name: value for name, value in facts.items() if value is not None},
    )
