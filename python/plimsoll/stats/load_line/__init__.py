"""The load line: how much load a system carries before latency breaks, and how to search for it.

request  what a study says: which load, which range, which objective
points   one run as the search sees it
settled  which part of a run counts: what was stored before it does not
levels   which loads are tried
bend     where throughput stops growing, with an interval
bracket  the two loads between which latency clearly deteriorates while throughput no longer grows
slo      the largest load that meets a latency objective
search   which load comes next, and when to stop
doubts   why nothing can be told of a knee
answer   everything a set of points says
"""
