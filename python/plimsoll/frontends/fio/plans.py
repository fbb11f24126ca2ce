"""A job as a plan of the core: every parameter of the `io` workload filled in from fio's options."""

from __future__ import annotations

import os
from typing import Any

from plimsoll.declared import IoParameters
from plimsoll.errors import UsageError
from plimsoll.frontends.fio import cmdprio, draws, files, iolog, tolerance, values, verify_state, zones
from plimsoll.frontends.fio.jobs import Job, unlinks_each_loop
from plimsoll.frontends.fio.passes import passes
from plimsoll.frontends.fio.places import places
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.fio.verification import pattern, reads_back, verification
from plimsoll.meanings import nearest
from plimsoll.model import Plan
from plimsoll.parameters import defaults
from plimsoll.units import MICROSECOND, MILLISECOND, SECOND, format_duration

ENGINES = {
    "psync": "psync", "sync": "psync", "pvsync": "psync", "pvsync2": "psync", "vsync": "psync", "libaio": "libaio",
    "io_uring": "io_uring", "posixaio": "io_uring", "mmap": "mmap", "null": "null", "falloc": "falloc",
    "ftruncate": "ftruncate", "cpuio": "cpuio", "filecreate": "filecreate", "filestat": "filestat",
    "filedelete": "filedelete",
}  # fmt: skip
INSTEAD = {
    "splice": "psync moves the same data by read and write",
    "pvsync3": "pvsync2 runs as psync",
    "io_uring_cmd": "io_uring on the block device of the same name space",
    "sg": "psync or io_uring on the block device",
    "libpmem": "mmap on a file of that file system",
    "dev-dax": "mmap on a file of a file system on the device",
    "pmemblk": "mmap on a file of that file system",
    "dircreate": "filecreate makes files in place of folders",
    "dirstat": "filestat looks at files in place of folders",
    "dirdelete": "filedelete removes files in place of folders",
    "e4defrag": "defragment with e2fsprogs' e4defrag beside a job of rw=randrw",
    "exec": "exec_prerun and exec_postrun run a program before and after a job",
    "net": "Plimsoll measures storage; iperf3 measures networks",
    "netsplice": "Plimsoll measures storage; iperf3 measures networks",
    "rdma": "Plimsoll measures storage; perftest measures RDMA",
    "http": "`plimsoll run` has tests of web pages, not of object stores",
    "rbd": "map the image with `rbd map`, and name the device",
    "nbd": "attach it with nbd-client, and name the device",
    "libiscsi": "log in with iscsiadm, and name the device",
    "nfs": "mount it, and name a file there",
    "gfapi": "mount it, and name a file there",
    "libhdfs": "mount it, and name a file there",
    "mtd": "psync on the block device of the same name (mtdblock)",
}
"""What comes nearest in meaning to an engine that is missing."""
SYNCHRONOUS = ("psync", "mmap", "falloc", "ftruncate", "cpuio", *files.NAME_ENGINES)
TRIMS_ALONE = ("libaio", "io_uring")
"""Engines under which fio does trims one after the other, each while the job waits."""
DEFAULT_WORKING_SET = 0.05
SOON_NS = SECOND // 10
"""An operation beyond `max_latency` is seen this late at most."""
MOST_INTERVALS = 100_000
"""What the core keeps; a run without `runtime=` ends after so many intervals at the latest."""


def plan_of(job: Job, finest_ns: int = SECOND) -> Plan:
    """The plan of one job, with intervals of `finest_ns` at most. Raises UsageError for what cannot be carried out."""
    words = job.words
    parameters = defaults("io") | {
        "engine": _engine(words),
        "mode": job.mode,
        "read_share": _read_share(words),
        "block_size": [[float(size), weight] for size, weight in job.block_sizes],
        "write_block_size": [[float(size), weight] for size, weight in job.write_block_sizes or []] or None,
        "depth": depth(words),
        "threads": 1,
        "size": job.size,
        "offset": job.offset,
        "direct": direct(words),
        "max_bytes": job.max_bytes,
        "max_operations": _max_operations(job),
        "warmup": words.read("ramp_time", lambda text: values.time_ns(text, "s")),
        "seed": _seed(job),
        "random_share": _random_share(words),
        "layout": "keep",
        "drop_cache": words.on("invalidate"),
        "drop_each": _drop_each(job),
        "count_errors": bool(tolerance.goes_on(words)),
        "sqpoll": words.on("sqthread_poll"),
        "iopoll": words.on("hipri"),
        **_times(words, finest_ns),
        **_syncs(job),
        **_content(job),
        **places(job),
        **verification(job),
        **_pace(job),
        **_groups(job),
        **_extras(job),
    }
    if not job.moves:
        parameters |= _burning(words)
    _check_names(job)
    if (readable := verify_state.readable_bytes(job)) is not None:
        if not readable:
            raise UsageError(f"{words.section.where}: verify_state_load: nothing was written that could be verified")
        parameters["max_bytes"] = readable
    return Plan(
        test="fio",
        case=job.name,
        workload="io",
        parameters=parameters,
        metrics=("iops", "throughput", *(f"{kind}_p99" for kind in ("read", "write") if getattr(job, f"{kind}s"))),
    )


def _extras(job: Job) -> dict[str, Any]:
    """What only the plans of this front end have, and where it is asked for."""
    words, found = job.words, dict[str, Any]()
    if job.mode in ("rw", "randrw") and job.moves and not job.log:
        found["mix"] = {"seed": draws.seed(job, draws.MIX)}
    if (drawn := draws.parameter(job, verifies=reads_back(job))) is not None:
        found["draws"] = drawn
    quiet = words.on("gtod_reduce") or words.on("disable_slat")
    # As with fio, `null` is synchronous at a depth of 1.
    waits = _engine(words) in SYNCHRONOUS or (_engine(words) == "null" and depth(words) == 1)
    if job.moves and not waits and not quiet:
        found["submission"] = True
    if (prioritised := cmdprio.parameter(job)) is not None:
        found["priorities"] = prioritised
    if (tolerated := tolerance.tolerance(words)) is not None:
        found["tolerance"] = tolerated
    if words.given("ba") and (align := words.size("ba")) and job.mode.startswith("rand"):
        found["align"] = align
    if words.given("flow") and (weight := words.read("flow", values.whole)):
        found["flow"] = {
            "id": words.read("flow_id", values.whole),
            "weight": weight,
            "sleep_ns": words.read("flow_sleep", lambda text: values.time_ns(text, "us")),
            "jobs": job.flow[0],
            "weights": job.flow[1],
        }
    if strides := zones.strides(job):
        found["strides"] = strides
    if job.log:
        found["replay"] = iolog.replay(job, job.log)
        found["sequence"] = {"every": 1, "stay": False, "skip": 0}
    return found


def _burning(words: Words) -> dict[str, Any]:
    """`cpuio`: so many µs of work, and a pause that makes them the share of the time that is asked for."""
    load = words.read("cpuload", values.whole) if words.given("cpuload") else 0
    if load < 1:
        raise UsageError(f"{words.section.where}: ioengine=cpuio needs cpuload=, the percentage of a processor")
    if not words.read("runtime", lambda text: values.time_ns(text, "s")):
        raise UsageError(f"{words.section.where}: ioengine=cpuio needs runtime=")
    spin_ns = words.read("cpuchunks", values.whole) * MICROSECOND
    load = min(load, 100)
    return {
        "depth": 1,
        "burn": {"ns": spin_ns, "sorts": words.text("cpumode") == "qsort"},
        "think_time": spin_ns * (100 - load) // load,
        "think_every": 1,
        "rate": None,
    }


def _check_names(job: Job) -> None:
    """Refuse more than one operation for a name."""
    name, (block, *others) = engine_name(job.words), [size for size, _ in job.block_sizes]
    if name in files.NAME_ENGINES and (others or set(job.region.parts) != {block}):
        raise UsageError(
            f"{job.section.where}: ioengine={name} does something to each file once; use bs={job.region.least}, the "
            "size of one of its files"
        )


def _groups(job: Job) -> dict[str, Any]:
    """What only some plans have: runs of operations, several files, batches."""
    words, found = job.words, dict[str, Any]()
    if sequence := _sequence(job):
        found["sequence"] = sequence
    verifies = reads_back(job)
    service = files.service(words, len(job.paths), verifies=verifies)
    if (rounds := passes(job, verifies=verifies)) is not None:
        found["passes"] = rounds
    if len(job.paths) > 1:
        if verifies and "%o" in (words.text("verify_pattern") or ""):
            raise UsageError(
                f"{words.section.where}: %o in a verify_pattern is for one file; give each file a job of its own"
            )
        beside = [os.path.relpath(path, job.path.parent) for path in job.paths[1:]]
        found["files"] = {"more": beside, **service}
        if len(set(job.region.parts)) > 1:
            found["files"]["parts"] = list(job.region.parts)
    batch = {
        "submit": words.read("iodepth_batch", values.whole),
        "complete": words.read("iodepth_batch_complete_min", values.whole),
        "low": words.read("iodepth_low", values.whole) if words.given("iodepth_low") else depth(words),
    }
    named = ("iodepth_batch", "iodepth_batch_complete_min", "iodepth_low")
    if any(name in words.section.options for name in named) and depth(words) > 1:
        if not batch["complete"]:
            raise UsageError(
                f"{words.section.where}: iodepth_batch_complete_min=0 asks for busy polling, which Plimsoll does not "
                "carry out; use 1 or more, or hipri with io_uring"
            )
        found["batch"] = {name: min(value, depth(words)) for name, value in batch.items()}
    return found


def _max_operations(job: Job) -> int | None:
    """`number_ios` of each loop; what is trimmed counts beside what is written."""
    count = job.words.read("number_ios", values.whole) * job.words.read("loops", values.whole)
    return count * (2 if job.trims_first else 1) or None


def _drop_each(job: Job) -> str:
    """What goes after each pass: with `unlink_each_loop` the files, otherwise what the page cache has of them."""
    words = job.words
    if unlinks_each_loop(job):
        if reads_back(job):
            raise UsageError(f"{words.section.where}: unlink_each_loop removes what verify reads; keep one of them")
        if job.is_device:
            raise UsageError(f"{words.section.where}: unlink_each_loop is for files, not for {job.path}")
        if not job.writes:
            raise UsageError(
                f"{words.section.where}: unlink_each_loop with rw={job.mode}: the second loop would find no files; "
                "leave it or loops out"
            )
        if words.given("io_size") or job.region.amount < job.size:
            raise UsageError(f"{words.section.where}: unlink_each_loop is for loops that use the whole of the files")
        return "files"
    # Random places without a map have no end at which fio would begin anew.
    looped = job.drawn and draws.ends(job, verifies=False)
    anew = looped or files.is_mapped(words) or not job.mode.startswith("rand") or reads_back(job)
    return "pass" if words.on("invalidate") and not direct(words) and anew else "never"


def _sequence(job: Job) -> dict[str, Any] | None:
    """`randread:8`: a new random place for every eighth operation; `write:4k`: gaps of 4 KiB."""
    words, text = job.words, job.words.after_mode
    stay = words.text("rw_sequencer") == "identical"
    if not text:
        return None
    if job.mode.startswith("rand"):
        every = words.read("rw", lambda _: values.whole(text))
        if every < 1:
            raise UsageError(f"{words.section.where}: rw={job.mode}:{every}: a random place is for 1 operation or more")
        return {"every": every, "stay": stay, "skip": 0}
    skip = words.read("rw", lambda _: values.size(text.removeprefix("-"), words.kb_base))
    return {"every": 1, "stay": False, "skip": -skip if text.startswith("-") else skip}


def engine_name(words: Words) -> str:
    """fio's name of the engine."""
    return words.text("ioengine") or "psync"


def _engine(words: Words) -> str:
    name = engine_name(words)
    if name not in ENGINES:
        near = nearest(name, ENGINES)
        misspelt = f"the nearest one there is: {near[0]}" if near else f"there are {', '.join(ENGINES)}"
        hint = INSTEAD.get(name, misspelt)
        raise UsageError(f"{words.section.where}: ioengine={name} is not supported by Plimsoll; {hint}")
    engine = ENGINES[name]
    for option in ("hipri", "sqthread_poll"):
        if words.on(option) and engine != "io_uring":
            raise UsageError(f"{words.section.where}: {option} is not supported with ioengine={name}; use io_uring")
    return "psync" if engine in TRIMS_ALONE and words.mode in ("trim", "randtrim") else engine


def depth(words: Words) -> int:
    """Operations in flight; synchronous engines have one whatever iodepth says, as with fio."""
    asked = words.read("iodepth", values.whole)
    if words.text("io_submit_mode") == "offload" and _engine(words) in SYNCHRONOUS and asked > 1:
        raise UsageError(
            f"{words.section.where}: io_submit_mode=offload with ioengine={engine_name(words)} and iodepth={asked} has "
            f"{asked} threads for the operations; use ioengine=io_uring, which has as many in flight"
        )
    return 1 if _engine(words) in SYNCHRONOUS else asked


def direct(words: Words) -> bool:
    """`direct=1`, or its opposite `buffered=0`."""
    return not words.on("buffered") if "buffered" in words.section.options else words.on("direct")


def _read_share(words: Words) -> float:
    if "rwmixwrite" in words.section.options and "rwmixread" not in words.section.options:
        return (100 - words.read("rwmixwrite", values.whole)) / 100
    return words.read("rwmixread", values.whole) / 100


def _seed(job: Job) -> int:
    """The same stream on every run with randrepeat, another one for each job."""
    base = job.words.read("randseed", lambda text: int(text, 0))
    repeat = job.words.on("randrepeat") or job.words.on("allrandrepeat")
    if repeat or "randseed" in job.section.options:
        return (base + job.number) % 2**63
    import secrets

    return secrets.randbits(63)


def _random_share(words: Words) -> float:
    shares = words.read("percentage_random", lambda text: values.per_direction(text, values.whole, 100))
    return shares[1 if words.mode in ("write", "randwrite") else 0] / 100


def _times(words: Words, finest_ns: int) -> dict[str, Any]:
    """Run time and interval. Without `runtime=` bytes or operations end the run."""
    runtime = words.read("runtime", lambda text: values.time_ns(text, "s"))
    if words.on("time_based") and not runtime:
        raise UsageError(f"{words.section.where}: time_based needs runtime=")
    logged = [words.read(name, values.whole) for name in ("log_avg_msec", "log_hist_msec")]
    interval = min((each * MILLISECOND for each in logged if each), default=SECOND)
    # A whole number of intervals makes a window of the log.
    if any(map(words.given, ("rate_min", "rate_iops_min"))):
        finest_ns = min(finest_ns, max(words.read("rate_cycle", values.whole), 10) * MILLISECOND)
    if words.given("max_latency"):
        finest_ns = min(finest_ns, SOON_NS)
    interval //= -(-interval // finest_ns)
    longest = interval * MOST_INTERVALS
    while runtime > longest:
        interval, longest = interval * 2, longest * 2
    return {"runtime": runtime or longest, "interval": interval}


def _syncs(job: Job) -> dict[str, Any]:
    words = job.words
    fsync, fdatasync = (words.read(name, values.whole) for name in ("fsync", "fdatasync"))
    opened = words.text("sync")
    kinds = {"none": "none", "0": "none", "": "sync", "1": "sync", "sync": "sync", "dsync": "dsync"}
    if opened not in kinds:
        raise UsageError(f"{words.section.where}: sync={opened}: use none, sync or dsync")
    chosen = [("fsync", fsync), ("fdatasync", fdatasync), (kinds[opened], int(kinds[opened] != "none"))]
    chosen = [(kind, every) for kind, every in chosen if every]
    if not chosen or not job.writes:
        return {"sync": "none", "sync_at_end": words.on("end_fsync") and job.writes}
    kind, every = chosen[0]
    found: dict[str, Any] = {"sync": kind, "sync_every": every, "sync_at_end": words.on("end_fsync")}
    if len(chosen) > 1:
        found["sync_beside"] = {
            "fdatasync_every": fdatasync if kind == "fsync" else 0,
            "opened": kinds[opened],
        }
    return found


def _content(job: Job) -> dict[str, Any]:
    words = job.words
    if words.given("buffer_pattern") and not verification(job)["verify"]:
        return {"content": "random", "compressible": 0.0, "pattern": words.read("buffer_pattern", pattern)}
    compress = (
        words.read("buffer_compress_percentage", values.whole) if words.given("buffer_compress_percentage") else 0
    )
    if compress >= 100 or words.on("zero_buffers"):
        return {"content": "zero"}
    found: dict[str, Any] = {"content": "random", "compressible": compress / 100}
    if words.given("dedupe_percentage") and (share := words.read("dedupe_percentage", values.percent)):
        found["dedupe"] = share
        if words.text("dedupe_mode") == "working_set":
            percent = (
                words.read("dedupe_working_set_percentage", values.percent)
                if words.given("dedupe_working_set_percentage")
                else DEFAULT_WORKING_SET
            )
            smallest = min(size for size, _ in (*job.block_sizes, *(job.write_block_sizes or [])))
            found["working_set"] = max(1, int(job.size * percent) // smallest)
            if words.on("dedupe_global"):
                found["shared_seed"] = words.read("randseed", lambda text: int(text, 0))
    return found


def _pace(job: Job) -> dict[str, Any]:
    """Rate limits and think time."""
    words = job.words
    think = words.read("thinktime", lambda text: values.time_ns(text, "us"))
    found: dict[str, Any] = {"think_time": think, "think_every": words.read("thinktime_blocks", values.whole)}
    if think and words.given("thinktime_spin"):
        found["think_spin"] = words.read("thinktime_spin", lambda text: values.time_ns(text, "us"))
    limits = [name for name in ("rate", "rate_iops") if words.given(name)]
    if not limits:
        return found
    if len(limits) > 1:
        raise UsageError(f"{words.section.where}: rate and rate_iops cannot be combined; keep one of them")
    if job.trims_first:
        raise UsageError(f"{words.section.where}: {limits[0]} with rw=trimwrite is not supported; leave it out")
    name = limits[0]
    amounts = words.read(
        name, lambda text: values.per_direction(text, lambda part: values.size(part, words.kb_base), 0)
    )
    mixed = job.reads and job.writes
    amount = amounts[{"write": 1, "randwrite": 1, "trim": 2, "randtrim": 2}.get(job.mode, 0)]
    if mixed:
        amount = amounts[0] + amounts[1]
    if not amount:
        return found
    found["rate"] = {"per_second": float(amount), "unit": "bytes" if name == "rate" else "operations"}
    if mixed:
        # Each direction has its own; one without may go on at any time.
        found["rate"]["apart"] = {kind: amounts[at] or None for at, kind in enumerate(("read", "write"))}
    found["arrival"] = "poisson" if words.text("rate_process") == "poisson" else "even"
    if think:
        raise UsageError(f"{words.section.where}: {name} and thinktime together are not supported; keep one of them")
    return found


def without_limit(job: Job, plan: Plan) -> str | None:
    """A sentence where only the core's own bound would end the run."""
    values_ = plan.values(IoParameters)
    if "runtime" in job.section.options or values_["max_bytes"] is not None or job.log:
        return None
    return f"{job.name} has neither runtime nor size; it ends after {values_['runtime'] // SECOND} s"


def cut_short(job: Job, plan: Plan, elapsed_ns: int) -> str | None:
    """A sentence where the core's own bound ended a run that was to end by its size."""
    plan_values = plan.values(IoParameters)
    bound_ns = plan_values["runtime"]
    if "runtime" in job.section.options or plan_values["max_bytes"] is None or elapsed_ns < bound_ns:
        return None
    interval = format_duration(plan_values["interval"] or SECOND)
    return (
        f"{job.name} was ended after {format_duration(bound_ns)}: no more intervals of {interval} are kept; give it a "
        "runtime=, or a longer log_avg_msec or --status-interval"
    )
