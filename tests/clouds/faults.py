"""What goes wrong at AWS, as rules for the proxy."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from email.utils import formatdate

from tests.clouds.proxy import LOST, Answer, Call, refusal

Before = Callable[[Call], Answer | None]
After = Callable[[Call, Answer], Answer | None]
FOREVER = 10**9


def refused(action: str, code: str, message: str = "", *, status: int = 400, times: int = FOREVER) -> Before:
    """A call is refused, so many times."""
    left = [times]

    def rule(call: Call) -> Answer | None:
        if call.action != action or "DryRun" in call.parameters or left[0] <= 0:
            return None
        left[0] -= 1
        return refusal(code, message, status)

    return rule


def forbidden(action: str) -> Before:
    """A permission is missing; a dry run says so, too."""

    def rule(call: Call) -> Answer | None:
        if call.action != action:
            return None
        if call.parameters:
            return refusal("UnauthorizedOperation", "not allowed", 403)
        body = b'{"__type": "AccessDeniedException", "message": "not allowed"}'
        return Answer(400, body, {"Content-Type": "application/x-amz-json-1.1"})

    return rule


def lost(action: str, *, times: int = 1) -> After:
    """The call takes effect, and its answer never arrives."""
    left = [times]

    def rule(call: Call, _answer: Answer) -> Answer | None:
        if call.action != action or "DryRun" in call.parameters or left[0] <= 0:
            return None
        left[0] -= 1
        return LOST

    return rule


def unseen(create: str, describe: str, code: str, seconds: float) -> tuple[Before, After]:
    """What was created is not found and not listed for a time: two rules, for `before` and `after`."""
    made_at = [0.0]

    def hide(call: Call) -> Answer | None:
        if call.action == create and "DryRun" not in call.parameters:
            made_at[0] = time.monotonic()
        hidden = time.monotonic() - made_at[0] < seconds
        named = any(re.match(r"(InstanceId|GroupId)\.1", name) for name in call.parameters)
        return refusal(code, "does not exist") if call.action == describe and hidden and named else None

    def empty(call: Call, answer: Answer) -> Answer | None:
        if call.action != describe or time.monotonic() - made_at[0] >= seconds:
            return None
        sets = rb"<(reservationSet|securityGroupInfo|keySet)>.*</\1>"
        return Answer(answer.status, re.sub(sets, rb"<\1></\1>", answer.body, flags=re.S), answer.headers)

    return hide, empty


def rewritten(action: str, old: str, new: str) -> After:
    """Answers tell something else."""

    def rule(call: Call, answer: Answer) -> Answer | None:
        if call.action != action:
            return None
        return Answer(answer.status, re.sub(old.encode(), new.encode(), answer.body, flags=re.S), answer.headers)

    return rule


def expired(after: str) -> Before:
    """From the call that follows `after` on, the credentials have expired."""
    seen = [False]

    def rule(call: Call) -> Answer | None:
        if seen[0]:
            return refusal("RequestExpired", "Request has expired.")
        seen[0] = call.action == after and "DryRun" not in call.parameters
        return None

    return rule


def skewed(seconds: float) -> Before:
    """AWS's clock is so far ahead of ours, and it refuses what is signed by ours."""
    date = {"Date": formatdate(time.time() + seconds, usegmt=True), "Content-Type": "text/xml"}
    refused = refusal("RequestExpired", "Request has expired.")
    return lambda _call: Answer(refused.status, refused.body, {**refused.headers, **date})
