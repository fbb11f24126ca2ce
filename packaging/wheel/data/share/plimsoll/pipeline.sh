#!/bin/sh
# A gate in a pipeline: measures, writes what people and servers read, and ends with the gate's exit code. It comes with
# the wheel; action.yml and packaging/pipelines/gitlab.yml call it. docs/guides/gate-in-a-pipeline.md explains the variables.
set -eu
folder=${PLIMSOLL_FOLDER:-plimsoll-gate}
name=pipeline  # of the session that later pipelines compare with
mkdir -p "$folder"

# Lines are targets, words are tests and options; nothing in them is carried out.
set -f
set -- ${PLIMSOLL_TESTS:-}
newline='
'
rest=${PLIMSOLL_TARGETS:-}
while [ -n "$rest" ]; do
    line=${rest%%"$newline"*}
    case $rest in *"$newline"*) rest=${rest#*"$newline"} ;; *) rest= ;; esac
    [ -z "$line" ] || set -- "$@" --on "$line"
done
set -- "$@" ${PLIMSOLL_OPTIONS:-} --quiet --output "$folder/report.html" --force

before=
if [ -n "${PLIMSOLL_BASELINE_FILE:-}" ]; then
    # A file that is not there yet is the first pipeline's; an address is asked.
    case $PLIMSOLL_BASELINE_FILE in
        *://*) before=yes ;;
        *) if [ -e "$PLIMSOLL_BASELINE_FILE" ]; then before=yes; fi ;;
    esac
    if [ -n "$before" ]; then plimsoll merge "$PLIMSOLL_BASELINE_FILE"; fi
fi
if [ -n "${PLIMSOLL_BASELINE:-}" ]; then
    set -- "$@" --baseline "$PLIMSOLL_BASELINE"
elif [ -n "$before" ]; then
    set -- "$@" --against "$name"
fi
plimsoll run "$@"

code=0
if [ -n "${PLIMSOLL_BASELINE:-}" ] || [ -n "$before" ]; then
    set -- ${PLIMSOLL_BASELINE:+--baseline "$PLIMSOLL_BASELINE"}
    if [ -z "${PLIMSOLL_BASELINE:-}" ]; then set -- --baseline "$name"; fi
    plimsoll compare "$@" --format markdown > "$folder/comment.md"
    plimsoll compare "$@" --format junit > "$folder/plimsoll.xml"
    if [ "${GITHUB_ACTIONS:-}" = true ]; then plimsoll compare "$@" --format github; fi
    plimsoll compare "$@" --fail-on "${PLIMSOLL_FAIL_ON:-worse}" || code=$?
else
    echo "There is no baseline yet: $folder/session.plimsoll.gz is the first." > "$folder/comment.md"
    cat "$folder/comment.md"
fi
plimsoll baseline set "$name"
plimsoll export --output "$folder/session.plimsoll.gz" --force
exit $code
