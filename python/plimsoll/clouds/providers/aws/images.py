"""What machines boot from: an image with a Python that is new enough, found by its publisher's public parameter."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.clouds.providers.aws.client import call
from plimsoll.clouds.providers.aws.errors import Gone
from plimsoll.errors import UsageError

DEFAULT = "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"
"""Ubuntu 24.04 has Python 3.12. Amazon Linux 2023's own is 3.9, which is too old."""
USERS = (("ubuntu", "ubuntu"), ("debian", "admin"), ("al2023", "ec2-user"), ("amzn", "ec2-user"), ("rhel", "ec2-user"))
"""Who logs in, by a word in the image's name."""
ARCHITECTURE = "x86_64"


@dataclass(frozen=True)
class Image:
    """What is to be known of an image before a machine boots from it."""

    id: str
    name: str
    root: str
    """The name of its root device."""
    gib: int
    """What its root device must have at least."""
    user: str
    """Who logs in."""


def find(region: str, wanted: str | None) -> Image:
    """An image by its id or public parameter; without either the default. Raises UsageError for what cannot be used."""
    wanted = wanted or DEFAULT
    identity = wanted if wanted.startswith("ami-") else _by_parameter(region, wanted)
    try:
        images = call(region, "ec2", "describe_images", ImageIds=[identity])["Images"]
    except Gone:
        images = []
    if not images:
        raise UsageError(f"there is no image {identity} in {region}; choose another with --image, or leave it out")
    image = images[0]
    if image.get("Architecture") != ARCHITECTURE:
        raise UsageError(
            f"image {identity} in {region} is for {image.get('Architecture')}; machines are rented with {ARCHITECTURE} "
            "only, because Plimsoll's wheel was tried on no other. Choose another with --image"
        )
    name = str(image.get("Name", ""))
    user = next((user for word, user in USERS if word in name.lower()), "ec2-user")
    root = str(image["RootDeviceName"])
    mapped = {each["DeviceName"]: each.get("Ebs", {}) for each in image.get("BlockDeviceMappings", ())}
    return Image(identity, name, root, int(mapped.get(root, {}).get("VolumeSize", 1)), user)


def _by_parameter(region: str, name: str) -> str:
    try:
        return str(call(region, "ssm", "get_parameter", Name=name)["Parameter"]["Value"])
    except Gone:
        raise UsageError(
            f"--image {name}: there is no such public parameter in {region}; an image is written as ami-… or as the "
            f"name of a public parameter, such as {DEFAULT}"
        ) from None
