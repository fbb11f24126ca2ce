"""What can be asked before anything is rented: places, images, disks, quotas, permissions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plimsoll.clouds.providers.aws import databases, disks, images, permissions, quotas, zones
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import UsageError


def check(rental: Rental) -> list[str]:
    """Warnings. Raises UsageError with all reasons why it cannot be rented, CloudError where AWS cannot be asked."""
    problems: list[str] = []
    warnings: list[str] = []
    for question in _QUESTIONS:
        try:
            warnings += question(rental)
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("; ".join(dict.fromkeys(problems)))
    return warnings


def _zone(rental: Rental) -> Sequence[str]:
    zones.choose(rental)
    return ()


def _images(rental: Rental) -> Sequence[str]:
    for image in {machine.image for machine in rental.machines}:
        images.find(rental.region, image)
    return ()


def _tags(rental: Rental) -> Sequence[str]:
    if taken := [key for key in rental.tags if key.startswith("aws:")]:
        raise UsageError(f"tag {taken[0]}: AWS keeps tags that begin with aws: for itself; choose another name")
    return ()


def _databases(rental: Rental) -> Sequence[str]:
    if problems := databases.problems(rental):
        raise UsageError("; ".join(problems))
    return databases.warnings(rental)


_QUESTIONS: tuple[Callable[[Rental], Sequence[str]], ...] = (
    _zone,
    _images,
    _tags,
    disks.check,
    quotas.check,
    permissions.check,
    _databases,
)
