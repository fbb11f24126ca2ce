"""How often a comparison on this disk is wrong, and after how long: ours, fio by hand, and Phoronix Test Suite's rule.

python -m benches.rules [--directory DIR] [--minutes 30] [--results FILE] [--through COMMAND] [--only QUESTION…]
python -m benches.rules --results FILE --table

Questions: one file under two names (every claim of a difference is wrong); a served volume beside one whose answers
take 5, 10 or 20 % longer, without a limit that is reached, both on this disk (whatever is not "slower" is wrong); depth
8 against 9 and 16 against 20 of one file (a claim that the deeper one is slower is wrong); io_uring against libaio
(nobody knows, but sessions must not contradict each other). Each is asked of Plimsoll as it comes; of Plimsoll as it
was before slices, one target after the other in runs of 1 s; and of fio, all runs of one side and then all of the
other, from which two rules draw their conclusion: the means of the first five, and the means of as many as Phoronix
Test Suite's rule wants (3 to 12, until the standard deviation is below 3.5 %). A difference is one beyond the band of
the question, for all of them; the time of fio's rules is that of the runs they use, that of Plimsoll the whole command.

Where a session has no answer at the end of its mode, that of a way with -on is extended until it has one (`plimsoll
extend --until verdict`), for five minutes at most, and the time of that counts, too. The way long-on is Plimsoll as the
same words were carried out before slices: one target after the other, in runs as long as the test's own, of 10 s.

What is least far is asked next, so that the ways take turns. Each result is appended to the file at once, and a
campaign that is started again with the same file goes on with it; --table prints what the file holds. --through puts a
command before each measurement, which may wait for a quiet machine: times count inside it.
"""
