"""fio's job options: which there are, their defaults, and which of them Plimsoll does not have.

An option that is neither is an error that names the nearest one; an option that fio has and Plimsoll has not is an
error that says so. Nothing is ignored in silence: options that cannot change what is measured here are listed with the
reason.
"""

from __future__ import annotations

import difflib

from plimsoll.errors import UsageError


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALIASES = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blockalign": "ba",
    "blocksize_range": "bsrange",
    "blocksize_unaligned": "bs_unaligned",
    "iodepth_batch_submit": "iodepth_batch",
    "iodepth_batch_complete": "iodepth_batch_complete_min",
    "io_limit": "io_size",
    "fill_fs": "fill_device",
    "fileoffset": "offset",
    "nr_files": "nrfiles",
    "timeout": "runtime",
    "iomem": "mem",
    "mem_align": "iomem_align",
    "ratemin": "rate_min",
    "ratecycle": "rate_cycle",
    "wait_for_previous": "stonewall",
    "disable_bw": "disable_bw_measurement",
    "threads": "thread",
    "log_max_value": "log_window_value",
    "ss": "steadystate",
    "ss_dur": "steadystate_duration",
    "ss_ramp": "steadystate_ramp_time",
}

FLAGS = _words(
    "norandommap time_based exitall exitall_on_error stonewall new_group thread group_reporting zero_buffers "
    "refill_buffers bs_unaligned verify_only hipri sqthread_poll fixedbufs registerfiles nonvectored userspace_reap"
)
"""Options that are switched on by their name alone; on the command line a value needs `=`."""

BOOLEANS = FLAGS | _words(
    "direct buffered randrepeat allrandrepeat overwrite invalidate create_serialize create_fsync "
    "create_on_open create_only allow_file_create allow_mounted_write do_verify verify_fatal unlink "
    "scramble_buffers end_fsync fsync_on_close disk_util gtod_reduce disable_lat disable_clat disable_slat "
    "disable_bw_measurement clat_percentiles lat_percentiles slat_percentiles per_job_logs log_unix_epoch "
    "log_issue_time log_store_compressed latency_run stats unique_filename softrandommap unlink_each_loop log_offset "
    "log_prio verify_only "
    "verify_state_load verify_state_save replay_no_stall dedupe_global fill_device experimental_verify error_dump "
    "serialize_overlap"
)

SIZES = _words(
    "bs bsrange bssplit size io_size filesize offset offset_increment rate rate_min lockmem verify_interval ba "
    "zonesize zonerange zoneskip"
)
"""Options whose units kb_base changes."""

DEFAULTS = {
    "rw": "read",
    "bs": "4k",
    "ioengine": "psync",
    "iodepth": "1",
    "direct": "0",
    "sync": "none",
    "fsync": "0",
    "fdatasync": "0",
    "fallocate": "native",
    "offset": "0",
    "offset_increment": "0",
    "number_ios": "0",
    "loops": "1",
    "numjobs": "1",
    "nrfiles": "1",
    "file_service_type": "roundrobin",
    "rw_sequencer": "sequential",
    "iodepth_batch": "1",
    "iodepth_batch_complete_min": "1",
    "runtime": "0",
    "ramp_time": "0",
    "startdelay": "0",
    "rwmixread": "50",
    "percentage_random": "100",
    "random_distribution": "random",
    "randrepeat": "1",
    "randseed": "0x89",
    "invalidate": "1",
    "allow_file_create": "1",
    "thinktime": "0",
    "thinktime_blocks": "1",
    "rate_process": "linear",
    "kb_base": "1024",
    "verify": "0",
    "do_verify": "1",
    "scramble_buffers": "1",
    "clat_percentiles": "1",
    "lat_percentiles": "0",
    "percentile_list": "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
    "log_avg_msec": "0",
    "log_window_value": "avg",
    "log_hist_msec": "0",
    "log_hist_coarseness": "0",
    "per_job_logs": "1",
    "filename_format": "$jobname.$jobnum.$filenum",
    "cpus_allowed_policy": "shared",
    "unified_rw_reporting": "none",
    "continue_on_error": "none",
    "stats": "1",
    "lockmem": "0",
    "latency_window": "0",
    "latency_percentile": "100",
    "steadystate": "iops_slope:0.01%",
    "steadystate_duration": "0",
    "steadystate_ramp_time": "0",
    "rate_cycle": "1000",
    "disk_util": "1",
    "io_submit_mode": "inline",
    "zonemode": "none",
    "zoneskip": "0",
    "flow_id": "0",
    "flow_sleep": "0",
    "dedupe_mode": "repeat",
    "exit_what": "group",
    "cpuchunks": "50000",
    "cpumode": "noop",
}
"""fio 3.33's defaults of the options that are carried out; the others are off, empty or absent."""

CARRIED_OUT = (
    set(DEFAULTS)
    | {
        "name", "description", "filename", "directory", "size", "io_size", "filesize", "bsrange", "bssplit", "buffered",
        "norandommap", "allrandrepeat", "rwmixwrite", "overwrite", "unlink", "end_fsync", "fsync_on_close",
        "time_based", "rate", "rate_iops", "zero_buffers", "refill_buffers", "buffer_compress_percentage",
        "cpus_allowed", "cpumask", "group_reporting", "stonewall", "new_group", "exitall", "write_bw_log",
        "write_lat_log", "write_iops_log", "write_hist_log", "log_unix_epoch", "hipri",
        "log_issue_time", "log_store_compressed",
        "sqthread_poll", "create_only", "exitall_on_error", "openfiles", "iodepth_low",
        "latency_target", "latency_run", "rate_min", "rate_iops_min", "max_latency", "exec_prerun", "exec_postrun",
        "verify_fatal", "verify_interval", "verify_pattern", "verify_backlog", "verify_backlog_batch", "thinktime_spin",
        "dedupe_percentage", "unlink_each_loop", "gtod_reduce", "disable_lat", "disable_clat", "disable_slat",
        "disable_bw_measurement", "slat_percentiles", "log_offset", "log_prio", "prio", "prioclass", "nice",
        "buffer_pattern", "verify_only", "verify_state_load", "verify_state_save", "read_iolog", "write_iolog",
        "replay_no_stall", "zonesize", "zonerange", "ba", "flow", "dedupe_working_set_percentage", "dedupe_global",
        "wait_for", "cpuload", "fill_device", "read_beyond_wp", "numa_cpu_nodes", "numa_mem_policy", "ignore_error",
        "create_on_open", "cmdprio", "cmdprio_bssplit", "cmdprio_class", "cmdprio_percentage",
    }
)  # fmt: skip

NO_DIFFERENCE = {
    "thread": "jobs are always threads here",
    "random_generator": "one generator serves all sizes; with lfsr every block comes once, whatever norandommap says",
    "softrandommap": "the map of blocks needs no memory here",
    "create_serialize": "files are always laid out one after the other",
    "create_fsync": "files are always synced after the layout",
    "allow_mounted_write": "Plimsoll's own rules protect devices in use",
    "verify_dump": "the first bad offset is told",
    "max_open_zones": "a file has no zones that have to be written in order",
    "job_max_open_zones": "a file has no zones that have to be written in order",
    "ignore_zone_limits": "a file has no zones that have to be written in order",
    "zone_reset_threshold": "a file has no zones that have to be written in order",
    "zone_reset_frequency": "a file has no zones that have to be written in order",
    "zonecapacity": "a file has no zones that have to be written in order",
    "rwmixcycle": "fio 3.33 no longer has it",
    "verifysort": "fio 3.33 no longer has it",
    "verifysort_nr": "fio 3.33 no longer has it",
    "fixedbufs": "io_uring always has registered buffers",
    "registerfiles": "io_uring always has registered files",
    "nonvectored": "no engine uses vectors",
    "userspace_reap": "libaio always asks the kernel",
    "unique_filename": "there are no network clients",
    "log_compression": "a log does not wait in memory until it is written",
    "log_compression_cpus": "a log does not wait in memory until it is written",
    "log_entries": "logs have no limit of entries",
    "fadvise_hint": "the kernel is told whether the pattern is random, as by default",
    "mem": "buffers are always page-aligned",
    "iomem_align": "buffers are always page-aligned",
    "verify_async": "the job's own thread checks what it reads",
    "verify_async_cpus": "the job's own thread checks what it reads",
    "experimental_verify": "what is read back is always known from what was written",
    "error_dump": "the first failed operation is told, its data is not",
    "serialize_overlap": "operations of a verified job never overlap; those of others may, as they do on a device",
    "clocksource": "the clock is the processor's counter, or the kernel's monotonic clock",
    "thinktime_blocks_type": "blocks are counted when they complete",
}  # fmt: skip
"""Options that are taken and change nothing that is measured, with the reason that a note gives where it is wanted."""

CHANGES = {
    "bwavgtime": "bandwidth samples are the intervals of the run, about a second",
    "iopsavgtime": "IOPS samples are the intervals of the run, about a second",
    "iodepth_batch_complete_max": "all that have completed are taken at once",
    "significant_figures": "numbers are printed as by default",
}
"""Options that are taken, and what the result does not have of them: always said."""

ONLY_VALUES = {
    "mem": ("malloc", "mmap", "mmapshared", "shm"),
    "rw_sequencer": ("sequential", "identical"),
    "unified_rw_reporting": ("none", "0", "mixed", "1", "both", "2"),
    "io_submit_mode": ("inline", "offload"),
    "zonemode": ("none", "strided", "zbd"),
    "dedupe_mode": ("repeat", "working_set"),
    "exit_what": ("group", "stonewall", "all"),
    "cpumode": ("noop", "qsort"),
    "thinktime_blocks_type": ("complete",),
    "fadvise_hint": ("1", ""),
    "stats": ("1", ""),
    "rate_process": ("linear", "poisson"),
    "cpus_allowed_policy": ("shared", "split"),
    "fallocate": ("native", "posix", "keep", "none", "0", "1", "truncate"),
    "log_window_value": ("avg", "max", "both", "0", "1"),
    "random_generator": ("tausworthe", "tausworthe64", "lfsr"),
    "clocksource": ("gettimeofday", "clock_gettime", "cpu"),
}
"""Options of which only some values are carried out."""

MISSING = _words(
    "percentage_sequential bs_is_seq_rand flow_watermark lockfile opendir "
    "bs_unaligned file_append offset_align write_barrier sync_file_range atomic verify_offset trim_percentage "
    "trim_verify_zero trim_backlog trim_backlog_batch read_iolog_chunked replay_redirect replay_scale "
    "replay_align replay_time_scale replay_skip merge_blktrace_file merge_blktrace_scalars "
    "merge_blktrace_iters ioscheduler thinktime_iotime rate_ignore_thinktime "
    "write_hint pre_read log_alternate_epoch "
    "log_alternate_epoch_clock_id block_error_percentiles buffer_compress_chunk gtod_cpu profile cgroup "
    "cgroup_nodelete cgroup_weight uid gid unit_base hugepage-size sqthread_poll_cpu "
    "uncached nowait hostname port protocol arguments bindname brick busy_poll clientname "
    "clustername cmd_type "
    "conf donorname exit_on_io_done force_async grace_time "
    "hipri_percentage inplace interface listen mss nodelay pingpong pool program rbdname readfua sg_write_mode "
    "single-instance skip_bad stat_type std_redirect stream_id thp touch_objects ttl uri verb volume "
    "window_size writefua"
)

HINTS = {
    "percentage_sequential": "fio 3.33 no longer has it; percentage_random says the opposite",
    "unit_base": "both units are printed; JSON has bytes",
    "bs_is_seq_rand": "give the sequential and the random part a job of their own, each with its bs",
    "bs_unaligned": "bssplit names the sizes one by one, also odd ones",
    "flow_watermark": "fio 3.33 no longer has it; flow keeps the ratio without it",
    "lockfile": "give each job a file of its own",
    "opendir": "name the files with filename=",
    "file_append": "offset= and size= name the part behind the end",
    "offset_align": "round offset= yourself",
    "write_barrier": "fsync=N syncs after so many writes",
    "sync_file_range": "fdatasync=N writes back after so many writes",
    "atomic": "fdatasync=1 makes each write durable by itself, not whole",
    "uncached": "direct=1 keeps the page cache out",
    "nowait": "leave it out: operations may wait",
    "verify_offset": "verify_pattern= is for blocks with a layout of your own",
    "trim_percentage": "rw=trimwrite trims each block before it is written",
    "trim_verify_zero": "read trimmed blocks with verify=pattern and verify_pattern=0x00",
    "trim_backlog": "rw=trimwrite trims each block before it is written",
    "trim_backlog_batch": "rw=trimwrite trims each block before it is written",
    "read_iolog_chunked": "leave it out: a log is read as a whole",
    "replay_redirect": "change the name of the file in the log",
    "replay_scale": "change the offsets in the log",
    "replay_align": "change the offsets in the log",
    "replay_time_scale": "change the times in the log, or replay_no_stall=1",
    "replay_skip": "leave these lines out of the log",
    "merge_blktrace_file": "`plimsoll simulate --trace` reads blkparse's text",
    "merge_blktrace_scalars": "`plimsoll simulate --trace` reads blkparse's text",
    "merge_blktrace_iters": "`plimsoll simulate --trace` reads blkparse's text",
    "ioscheduler": "write its name to /sys/block/DEVICE/queue/scheduler before",
    "thinktime_iotime": "thinktime_blocks counts operations in place of time",
    "rate_ignore_thinktime": "keep either rate or thinktime",
    "write_hint": "leave it out",
    "pre_read": "a job with rw=read before, a stonewall, and invalidate=0",
    "log_alternate_epoch": "log_unix_epoch=1",
    "log_alternate_epoch_clock_id": "log_unix_epoch=1",
    "block_error_percentiles": "continue_on_error=io counts errors",
    "buffer_compress_chunk": "buffer_compress_percentage compresses each 512 bytes by its share",
    "gtod_cpu": "leave it out: looking at the clock costs some 20 ns",
    "cgroup": "start Plimsoll under `systemd-run --scope -p IOWeight=N`",
    "cgroup_weight": "start Plimsoll under `systemd-run --scope -p IOWeight=N`",
    "cgroup_nodelete": "start Plimsoll under `systemd-run --scope -p IOWeight=N`",
    "uid": "start Plimsoll as that user",
    "gid": "start Plimsoll with that group",
    "hugepage-size": "mem=malloc; buffers have pages of the usual size",
    "sqthread_poll_cpu": "sqthread_poll without a processor of its own",
    "profile": "write the options that the profile stands for",
    **dict.fromkeys(("donorname", "inplace"), "defragment with e2fsprogs' e4defrag beside a job of rw=randrw"),
    **dict.fromkeys(
        ("program", "arguments", "grace_time", "std_redirect"),
        "exec_prerun and exec_postrun run a program before and after a job",
    ),
    **dict.fromkeys(
        ("hostname", "port", "protocol", "interface", "listen", "mss", "nodelay", "pingpong", "ttl", "window_size"),
        "Plimsoll measures storage; iperf3 measures networks",
    ),
    "stat_type": "leave it out: filestat calls stat",
}
"""What comes nearest in meaning to an option that is missing."""
LEAVE_IT = "it belongs to an engine that Plimsoll does not have"


def canonical(name: str, known: frozenset[str] = frozenset()) -> str:
    """fio's own name of an option, from one of its aliases. Raises UsageError if fio or Plimsoll has no such option."""
    plain = ALIASES.get(name, name)
    if plain in CARRIED_OUT or plain in NO_DIFFERENCE or plain in CHANGES:
        return plain
    if plain in MISSING:
        raise UsageError(f"fio's option {name} is not supported by Plimsoll; {HINTS.get(plain, LEAVE_IT)}")
    near = difflib.get_close_matches(plain, sorted(CARRIED_OUT | known), n=1, cutoff=0.65)
    nearest = f"the nearest one there is: {near[0]}" if near else "see docs/front-ends.md for those there are"
    raise UsageError(f"fio has no option {name!r}; {nearest}")


def check_value(name: str, value: str) -> None:
    """Refuse values that are not carried out."""
    allowed = ONLY_VALUES.get(name)
    if allowed is not None and value not in allowed:
        hint = HINTS.get(name, f"it takes {', '.join(repr(each) for each in allowed)} here")
        raise UsageError(f"{name}={value} is not supported by Plimsoll; {hint}")
