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
    "ss": "steadystate",
    "ss_dur": "steadystate_duration",
    "ss_ramp": "steadystate_ramp_time",
}

FLAGS = _words(
    "norandommap time_based exitall exitall_on_error stonewall new_group thread group_reporting zero_buffers "
    "refill_buffers bs_unaligned hipri sqthread_poll fixedbufs registerfiles nonvectored userspace_reap"
)
"""Options that are switched on by their name alone; on the command line a value needs `=`."""

BOOLEANS = FLAGS | _words(
    "direct buffered randrepeat allrandrepeat overwrite invalidate create_serialize create_fsync "
    "create_on_open create_only allow_file_create allow_mounted_write do_verify verify_fatal unlink "
    "scramble_buffers end_fsync fsync_on_close disk_util gtod_reduce disable_lat disable_clat disable_slat "
    "disable_bw_measurement clat_percentiles lat_percentiles slat_percentiles per_job_logs log_unix_epoch "
    "log_max_value latency_run stats unique_filename softrandommap unlink_each_loop"
)

SIZES = _words("bs bsrange bssplit size io_size filesize offset offset_increment rate rate_min lockmem verify_interval")
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
}
"""fio 3.33's defaults of the options that are carried out; the others are off, empty or absent."""

CARRIED_OUT = (
    set(DEFAULTS)
    | {
        "name", "description", "filename", "directory", "size", "io_size", "filesize", "bsrange", "bssplit", "buffered",
        "norandommap", "allrandrepeat", "rwmixwrite", "overwrite", "unlink", "end_fsync", "fsync_on_close",
        "time_based", "rate", "rate_iops", "zero_buffers", "refill_buffers", "buffer_compress_percentage",
        "cpus_allowed", "cpumask", "group_reporting", "stonewall", "new_group", "exitall", "write_bw_log",
        "write_lat_log", "write_iops_log", "write_hist_log", "log_unix_epoch", "log_max_value", "hipri",
        "sqthread_poll", "create_only", "exitall_on_error", "openfiles", "iodepth_low",
        "latency_target", "latency_run", "rate_min", "rate_iops_min", "max_latency", "exec_prerun", "exec_postrun",
        "verify_fatal", "verify_interval", "verify_pattern", "verify_backlog", "verify_backlog_batch", "thinktime_spin",
        "dedupe_percentage", "unlink_each_loop",
    }
)  # fmt: skip

NO_DIFFERENCE = {
    "thread": "jobs are always threads here",
    "gtod_reduce": "latency is measured all the same: it costs nothing here",
    "disable_lat": "latency is measured all the same: it costs nothing here",
    "disable_clat": "latency is measured all the same: it costs nothing here",
    "disable_slat": "the time of submission is never measured apart",
    "slat_percentiles": "the time of submission is never measured apart",
    "disable_bw_measurement": "intervals are always kept",
    "bwavgtime": "bandwidth samples are the intervals of the run, about a second",
    "iopsavgtime": "IOPS samples are the intervals of the run, about a second",
    "random_generator": "one generator serves all sizes; without norandommap every block comes once, as with lfsr",
    "softrandommap": "the map of blocks needs no memory here",
    "create_serialize": "files are always laid out one after the other",
    "create_fsync": "files are always synced after the layout",
    "create_on_open": "files exist before they are opened for I/O",
    "allow_mounted_write": "Plimsoll's own rules protect devices in use",
    "verify_dump": "the first bad offset is told",
    "fixedbufs": "io_uring always has registered buffers",
    "registerfiles": "io_uring always has registered files",
    "nonvectored": "no engine uses vectors",
    "userspace_reap": "libaio always asks the kernel",
    "unique_filename": "there are no network clients",
    "log_entries": "logs have no limit of entries",
    "fadvise_hint": "the kernel is told whether the pattern is random, as by default",
    "iodepth_batch_complete_max": "all that have completed are taken at once",
    "mem": "buffers always are page-aligned memory",
    "iomem_align": "buffers always are page-aligned memory",
    "significant_figures": "numbers are printed as by default",
    "verify_state_save": "there is no state of a verification to save",
    "clocksource": "the clock is the processor's counter, or the kernel's monotonic clock",
    "io_submit_mode": "the submitting thread also completes, as inline does",
    "thinktime_blocks_type": "blocks are counted when they complete",
}  # fmt: skip
"""Options that are taken and change nothing that is measured, with the reason that a note on standard error gives."""

ONLY_VALUES = {
    "mem": ("malloc", "mmap", "mmapshared", "shm"),
    "rw_sequencer": ("sequential", "identical"),
    "unified_rw_reporting": ("none", "0", "mixed", "1", "both", "2"),
    "io_submit_mode": ("inline",),
    "thinktime_blocks_type": ("complete",),
    "fadvise_hint": ("1", ""),
    "stats": ("1", ""),
    "rate_process": ("linear", "poisson"),
    "cpus_allowed_policy": ("shared", "split"),
    "fallocate": ("native", "posix", "keep", "none", "0", "1", "truncate"),
    "log_max_value": ("0",),
    "random_generator": ("tausworthe", "tausworthe64", "lfsr"),
    "clocksource": ("gettimeofday", "clock_gettime", "cpu"),
}
"""Options of which only some values are carried out."""

MISSING = _words(
    "rwmixcycle percentage_sequential verifysort verifysort_nr bs_is_seq_rand flow_watermark verify_async_cpus "
    "wait_for lockfile opendir ba bs_unaligned ignore_error serialize_overlap fill_device "
    "file_append offset_align write_barrier sync_file_range atomic verify_only verify_offset "
    "verify_async experimental_verify verify_state_load "
    "trim_percentage trim_verify_zero trim_backlog trim_backlog_batch write_iolog read_iolog "
    "read_iolog_chunked replay_no_stall replay_redirect replay_scale replay_align replay_time_scale "
    "replay_skip merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters "
    "ioscheduler zonemode zonesize zonecapacity zonerange zoneskip read_beyond_wp max_open_zones "
    "job_max_open_zones ignore_zone_limits zone_reset_threshold zone_reset_frequency nice prio "
    "prioclass thinktime_iotime rate_ignore_thinktime "
    "write_hint pre_read numa_cpu_nodes "
    "numa_mem_policy exit_what log_offset log_prio log_compression log_compression_cpus "
    "log_store_compressed log_alternate_epoch log_alternate_epoch_clock_id block_error_percentiles "
    "buffer_pattern buffer_compress_chunk dedupe_mode dedupe_working_set_percentage "
    "dedupe_global gtod_cpu error_dump profile cgroup cgroup_nodelete cgroup_weight uid gid unit_base "
    "hugepage-size flow_id flow flow_sleep cmdprio_percentage sqthread_poll_cpu uncached nowait hostname port "
    "protocol arguments bindname brick busy_poll clientname clustername cmd_type cmdprio cmdprio_bssplit cmdprio_class "
    "conf cpuchunks cpuload cpumode donorname exit_on_io_done force_async grace_time hipri_percentage inplace "
    "interface listen mss nodelay pingpong pool program rbdname readfua sg_write_mode single-instance skip_bad "
    "stat_type std_redirect stream_id thp touch_objects ttl uri verb volume window_size writefua"
)

HINTS = {
    "rwmixcycle": "fio 3.33 has it no more; leave it out",
    "percentage_sequential": "fio 3.33 has it no more; percentage_random says the opposite",
    "verifysort": "fio 3.33 has it no more; leave it out",
    "verifysort_nr": "fio 3.33 has it no more; leave it out",
    "prio": "start Plimsoll under ionice",
    "prioclass": "start Plimsoll under ionice",
    "nice": "start Plimsoll under nice",
    "unit_base": "both units are printed; JSON has bytes",
}


def canonical(name: str, known: frozenset[str] = frozenset()) -> str:
    """fio's own name of an option, from one of its aliases. Raises UsageError if fio or Plimsoll has no such option."""
    plain = ALIASES.get(name, name)
    if plain in CARRIED_OUT or plain in NO_DIFFERENCE:
        return plain
    near = difflib.get_close_matches(plain, sorted(CARRIED_OUT | known), n=1, cutoff=0.65)
    nearest = f"the nearest one there is: {near[0]}" if near else "see docs/front-ends.md for those there are"
    if plain in MISSING:
        raise UsageError(f"fio's option {name} is not carried out by Plimsoll; {HINTS.get(plain, nearest)}")
    raise UsageError(f"fio has no option {name!r}; {nearest}")


def check_value(name: str, value: str) -> None:
    """Refuse values that are not carried out."""
    allowed = ONLY_VALUES.get(name)
    if allowed is not None and value not in allowed:
        hint = HINTS.get(name, f"it takes {', '.join(repr(each) for each in allowed)} here")
        raise UsageError(f"{name}={value} is not carried out by Plimsoll; {hint}")
