"""AWS's errors as ours: what happened, where, and what to do. The one place that knows their codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from plimsoll.clouds.providers.aws import policy
from plimsoll.errors import CloudError, NotYet, Unanswered
from plimsoll.units import SECOND, format_duration


class Gone(CloudError):
    """What was asked for does not exist, or does not yet."""


class Already(CloudError):
    """Something of this name exists."""


class Forbidden(CloudError):
    """A permission is missing."""


class Allowed(CloudError):
    """A call that only asked whether it may be made: it may."""


KINDS = {
    "DryRunOperation": Allowed,
    "DependencyViolation": NotYet,
    "VolumeInUse": NotYet,
    "IncorrectState": NotYet,
    "IncorrectInstanceState": NotYet,
    "InvalidNetworkInterface.InUse": NotYet,
    "ParameterNotFound": Gone,
    "NoSuchResourceException": Gone,
    "ResourceNotFoundException": Gone,
    "DBInstanceNotFound": Gone,
    "DBInstanceAlreadyExists": Already,
    "DBSubnetGroupAlreadyExists": Already,
    "InvalidDBInstanceState": NotYet,
    "InvalidDBSubnetGroupStateFault": NotYet,
    "EntityAlreadyExists": Already,
    "NoSuchEntity": Gone,
    "DeleteConflict": NotYet,
    "ConflictException": Already,
}
EXPIRED = ("ExpiredToken", "ExpiredTokenException", "RequestExpired", "CredentialsExpired")
WRONG = ("AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch", "OptInRequired")
FORBIDDEN = ("UnauthorizedOperation", "AccessDenied", "AccessDeniedException")
THROTTLED = ("RequestLimitExceeded", "Throttling", "ThrottlingException", "TooManyRequestsException")
LIMITS = ("LimitExceeded", "QuotaExceeded", "MaxSpotInstanceCountExceeded", "MaxIOPSLimitExceeded")
SKEW_S = 240
"""AWS refuses what is signed five minutes away from its own clock."""


@contextmanager
def mapped(service: str, operation: str, region: str) -> Iterator[None]:
    """What botocore raises within becomes a CloudError."""
    from botocore import exceptions, parsers

    action = f"{service}:{''.join('DB' if word == 'db' else word.title() for word in operation.split('_'))}"
    try:
        yield
    except exceptions.ClientError as error:
        raise _refused(error.response, action, region) from None
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError, exceptions.ProfileNotFound) as error:
        raise CloudError(
            f"no credentials for AWS: {error}; log in with `aws configure` or `aws sso login`, "
            "or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        ) from None
    except (exceptions.TokenRetrievalError, exceptions.SSOError, exceptions.CredentialRetrievalError):
        raise _expired(action, region) from None
    except (exceptions.HTTPClientError, parsers.ResponseParserError) as error:
        raise Unanswered(
            f"AWS did not answer {action} in {region} ({type(error).__name__}); "
            "look at the network and at https://health.aws.amazon.com, then try again"
        ) from None
    except exceptions.BotoCoreError as error:
        raise CloudError(f"AWS cannot be asked for {action} in {region}: {error}") from None


def _refused(response: Any, action: str, region: str) -> CloudError:
    code, message = response["Error"].get("Code", ""), response["Error"].get("Message", "")
    if code in KINDS or code.endswith((".NotFound", ".Duplicate", "NotFoundFault")):
        kind = KINDS.get(code, Already if code.endswith(".Duplicate") else Gone)
        return kind(f"{action} in {region}: {message}")
    if (skew_s := _skew_s(response)) is not None and code in (*EXPIRED, *WRONG):
        ahead = "behind" if skew_s > 0 else "ahead of"
        return CloudError(
            f"AWS refuses {action} in {region}: this machine's clock is {format_duration(abs(skew_s) * SECOND)} "
            f"{ahead} AWS's; set the clock, then try again"
        )
    if code in EXPIRED:
        return _expired(action, region)
    if code in WRONG:
        return CloudError(f"AWS does not accept the credentials for {action} in {region} ({code}); log in again")
    if code in FORBIDDEN:
        return Forbidden(forbidden(action, region))
    return _unavailable(code, message, action, region)


def _unavailable(code: str, message: str, action: str, region: str) -> CloudError:
    if code in THROTTLED:
        return CloudError(f"AWS throttles {action} in {region}, however often it is asked; try again in some minutes")
    if code.startswith("Insufficient"):
        return CloudError(
            f"AWS has no capacity left for what was asked in {region} ({code}): {message}. Name another zone with "
            "--zone or another type with --instance, leave out --spot, or try again later"
        )
    if any(code.endswith(each) for each in LIMITS):
        return CloudError(
            f"a quota of the account is too small in {region} ({code}): {message}. Ask for more at "
            f"https://console.aws.amazon.com/servicequotas/home?region={region}, or rent less"
        )
    if code in ("InternalError", "InternalFailure", "Unavailable", "ServiceUnavailable", "InternalServerError"):
        return Unanswered(f"AWS failed at {action} in {region} ({code}); try again in some minutes")
    return CloudError(f"AWS refuses {action} in {region} ({code}): {message}")


def forbidden(action: str, region: str) -> str:
    """A permission that is missing, with the policy line that grants it."""
    line = policy.granting(action)
    grant = f"the line {json.dumps(line, separators=(',', ':'))}" if line else "the policy of `plimsoll cloud policy`"
    return f"these credentials may not {action} in {region}; {grant} grants it (`plimsoll cloud policy` shows all)"


def _expired(action: str, region: str) -> CloudError:
    return CloudError(
        f"the credentials for AWS have expired ({action} in {region}); log in again, such as with `aws sso login`, "
        "then type `plimsoll cloud sweep` to end what is still rented"
    )


def _skew_s(response: Any) -> float | None:
    """How far this machine's clock is behind AWS's, where that is enough to be refused."""
    date = response["ResponseMetadata"].get("HTTPHeaders", {}).get("date")
    if not date:
        return None
    skew_s = (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds()
    return skew_s if abs(skew_s) > SKEW_S else None
