"""fio's job files and options, run by Plimsoll's engine, reported in fio's formats.

values       fio's units: 4k is 4096, 4KiB is 4000 (kb_base), 10% of a file, times in s or µs
options      which options there are, their defaults, and which of fio's are missing and why
command_line, job_file   arguments and files to sections
jobs, files  sections to jobs: numjobs, file names, regions, limits
plans        a job to a plan of the core; places, verification: parts of it
layout       files before and after a run
execution    groups one after the other, jobs of a group side by side; hooks: commands around a job
live, monitor   what running jobs have told; status output and the line of the ETA
least, longest  limits that end a job as a failure
statistics   outcomes to fio's numbers; latency: in fio's buckets
json_output, normal_output, terse_output, logs
"""
