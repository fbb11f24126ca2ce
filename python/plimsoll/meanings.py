"""What somebody means by a word that a list has not: a word of the same meaning, or a slip of the keyboard.

Words that merely look alike are no help: `sqlite` is not what is meant by `mysql`.
"""

from __future__ import annotations

from collections.abc import Iterable

_MEANINGS = """
    mysql mariadb maria percona innodb
    postgresql postgres pg psql pgsql
    sqlite sqlite3
    redis valkey keydb
    nginx http https httpd apache
    rocksdb leveldb lsm
    memory ram tmpfs
    depth iodepth queuedepth qd outstanding inflight aiodepth
    threads threadcount numjobs jobs clients client processes workers users virtualusers connections concurrency
    blocksize bs requestsize iosize chunk chunksize recordsize size
    filesize totalsize size
    worksize workingset region span
    runtime duration worktime seconds time deadline timeout timelimit
    warmup ramptime rampup
    count iterations requests loops times runs repeat repetitions repeats
    blocks iterations repeats repetitions runs samples
    operationcount operations ops requests
    recordcount records rows keys
    fieldlength fieldsize valuesize
    requestdistribution distribution
    target rate ratelimit iops rateiops throughput speedlimit
    speedlimit bandwidth bw throughput ratebw
    mode rw readwrite pattern access test workload
    engine ioengine backend
    direct odirect nocache unbuffered
    cached buffered
    sync fsync osync
    libaio aio async asynchronous posixaio
    psync sync pvsync pvsync2 pread pwrite preadv2 vsync splice
    iouring uring
    mmap map
    randread randomread randomreads rndrd
    randwrite randomwrite randomwrites rndwr
    randrw randomrw mixed rndrw
    seqread sequentialread seqrd streamread
    seqwrite sequentialwrite seqwr streamwrite
    quick fast short smoke
    standard normal default
    publish full thorough long
    json jsonplus
    json machine
    text normal plain table
    html web page browser
    pdf print
    csv spreadsheet excel
    quiet silent q
    batch raw terse
    seed randseed entropy random
    interval period pause wait
    write writes
    linear sequential seq
    rapid flood
    printinterval statusinterval reportinterval progress
    minimum min
    maximum max
    directory dir path place folder where d
    name machine host hostname
    number files filecount numfiles
    baseline reference base
    run bench benchmark test measure start
    plan dryrun preview
    import load read ingest
    export save dump backup
    compare diff
    show view print
    list ls sessions
    report html pdf
    serve server web dashboard
    doctor check diagnose
    volume volumes disk
    knee loadline curve
    ping ioping latency
    bonnie bonnie++
    replace overwrite force
    as label targetname target
    on target where
    output out o file
    format type kind
    postmark mailserver
    read reads get
    update updates put set
    scan scans range
    insert inserts add
"""
_GROUPS = tuple(tuple(line.split()) for line in _MEANINGS.strip().splitlines())
_MOST_BEGUN, _MOST_ALIKE = 5, 3
_SHORT, _MIDDLE = 4, 8


def nearest(word: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that `word` may stand for, the likeliest alone or first; empty if none does."""
    known = {name: _bare(name) for name in sorted(names)}
    said = _bare(word)
    if same := [name for name, bare in known.items() if bare == said]:
        return same[:1]
    if slips := _slip(said, known, 1):
        return slips
    meant = [other for group in _GROUPS if said in group for other in group]
    if found := [name for other in meant for name, bare in known.items() if bare == other]:
        return found[:1]
    begun = [name for name, bare in known.items() if len(said) > 1 and bare.startswith(said)]
    if begun and len(begun) <= _MOST_BEGUN:
        return begun
    return _slip(said, known, 1 if len(said) <= _SHORT else 2 if len(said) <= _MIDDLE else 3)


def _bare(word: str) -> str:
    """Without what is written in many ways: dashes, case."""
    return "".join(character for character in word.lower() if character not in "-_ ")


def _slip(said: str, known: dict[str, str], most: int) -> list[str]:
    """The names that differ least, by so many slips at most; a word of two letters could be anything."""
    if len(said) < 3:
        return []
    ranked = sorted((_slips(said, bare), name) for name, bare in known.items() if abs(len(bare) - len(said)) <= most)
    if not ranked or ranked[0][0] > most:
        return []
    alike = [name for slips, name in ranked if slips == ranked[0][0]]
    return alike if len(alike) <= _MOST_ALIKE else alike[:1]


def _slips(one: str, other: str) -> int:
    """Letters too many, missing, wrong, or swapped with their neighbour."""
    before, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        oldest, before, row = before, row, [i] + [0] * len(other)
        for j, theirs in enumerate(other, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != theirs))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == theirs:
                row[j] = min(row[j], oldest[j - 2] + 1)
    return row[-1]
