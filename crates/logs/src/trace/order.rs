//! Rows that are nearly in order of time become events that are; clocks that were set are noticed.

use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::Totals;

/// How many rows may lie between a row and its place.
pub const WINDOW: usize = 65_536;

/// A clock was set, and no row was late, if as many rows in a row are before the window.
const LATE_IN_A_ROW: usize = 64;

/// A trace in which the clock goes back more often is not in order of time.
const MOST_STEPS: u64 = 16;

/// A gap that is longer is a clock that was set.
const LONGEST_GAP_NS: u64 = 7 * 24 * 3600 * 1_000_000_000;

/// A row that is earlier by more than this did not just come late.
const LATEST_NS: u64 = 600 * 1_000_000_000;

/// Sorts events within a window of rows. What is further off is counted.
#[derive(Debug, Default)]
pub struct Order {
    /// What is to be added to the times of rows; ns.
    shift_ns: i128,
    /// Time of the earliest row, from which all others count.
    first_ns: Option<u64>,
    newest_ns: Option<u64>,
    /// No event that is let out is earlier.
    floor_ns: u64,
    held: Vec<Event>,
    unsorted: bool,
    late: Vec<(u64, Event)>,
    ready: Vec<Event>,
    /// What was counted.
    pub counted: Counted,
}

/// What was not in order.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Rows before the window, which were moved to its beginning.
    pub late: u64,
    /// How often the clock went back for good.
    pub back: u64,
    /// By how much the first time, ns, and in which line.
    pub back_first: (u64, u64),
    /// How often it went ahead by more than a week.
    pub ahead: u64,
    /// The same.
    pub ahead_first: (u64, u64),
}

impl Order {
    /// Time of the first event that was let out, from which all others count.
    pub fn first_ns(&self) -> Option<u64> {
        self.first_ns
    }

    /// Takes an event whose `arrival_ns` is in the source's own time.
    #[inline]
    pub fn push(&mut self, mut event: Event, line: u64) -> Result<(), Fault> {
        let at = i128::from(event.arrival_ns) + self.shift_ns;
        event.arrival_ns = at.clamp(0, i128::from(u64::MAX)) as u64;
        let Some(newest) = self.newest_ns else {
            self.hold(event);
            return Ok(());
        };
        if event.arrival_ns < self.floor_ns || event.arrival_ns.saturating_add(LATEST_NS) < newest {
            return self.push_late(event, newest, line);
        }
        let gap = event.arrival_ns.saturating_sub(newest);
        if gap > LONGEST_GAP_NS {
            self.counted.ahead += 1;
            if self.counted.ahead == 1 {
                self.counted.ahead_first = (gap, line);
            }
            self.shift_ns -= i128::from(gap);
            event.arrival_ns = newest;
        }
        if !self.late.is_empty() {
            self.settle_late();
        }
        self.hold(event);
        Ok(())
    }

    #[inline]
    fn hold(&mut self, event: Event) {
        let newest = self.newest_ns.unwrap_or_default();
        self.unsorted |= event.arrival_ns < newest;
        self.newest_ns = Some(newest.max(event.arrival_ns));
        self.held.push(event);
        if self.held.len() == 2 * WINDOW {
            self.release(WINDOW);
        }
    }

    #[cold]
    fn push_late(&mut self, event: Event, newest: u64, line: u64) -> Result<(), Fault> {
        self.late.push((line, event));
        if self.late.len() < LATE_IN_A_ROW {
            return Ok(());
        }
        let earliest = self.late.iter().map(|(_, event)| event.arrival_ns).min().unwrap_or(newest);
        let (begin, by) = (self.late[0].0, newest.saturating_sub(earliest));
        self.counted.back += 1;
        if self.counted.back == 1 {
            self.counted.back_first = (by, begin);
        }
        if self.counted.back > MOST_STEPS {
            let why = "is earlier than the lines before it, for the 17th time: the file is not in order of time; sort it \
                       by the column of its time (sort -n) and try again";
            return Err(Fault::of_line(begin, b"", why));
        }
        self.shift_ns += i128::from(by);
        for (_, mut event) in std::mem::take(&mut self.late) {
            event.arrival_ns = event.arrival_ns.saturating_add(by);
            self.hold(event);
        }
        Ok(())
    }

    /// Single rows that came late: the clock is as it was.
    #[cold]
    fn settle_late(&mut self) {
        self.counted.late += self.late.len() as u64;
        for (_, event) in std::mem::take(&mut self.late) {
            self.hold(Event { arrival_ns: event.arrival_ns.max(self.floor_ns), ..event });
        }
    }

    fn release(&mut self, keep: usize) {
        if self.unsorted {
            self.held.sort_by_key(|event| event.arrival_ns);
        }
        let out = self.held.len() - keep;
        let (Some(first), Some(last)) = (self.held.first(), out.checked_sub(1)) else { return };
        let first = *self.first_ns.get_or_insert(first.arrival_ns);
        self.floor_ns = self.held[last].arrival_ns;
        let since = |event: Event| Event { arrival_ns: event.arrival_ns - first, ..event };
        self.ready.extend(self.held.drain(..out).map(since));
        self.unsorted = false;
    }

    /// Takes what is in order; the buffer given comes back the next time.
    pub fn take(&mut self, events: &mut Vec<Event>) {
        events.clear();
        std::mem::swap(&mut self.ready, events);
    }

    /// No row is left.
    pub fn finish(&mut self) {
        self.settle_late();
        self.release(0);
    }

    /// Says what was not in order.
    pub fn tell(&self, totals: &mut Totals) {
        let counted = self.counted;
        totals.leave_out("late", counted.late, || {
            format!("I/Os that are more than {WINDOW} lines, or 10 minutes, out of order: {{}}; their time is taken from the lines around \
                 them")
        });
        let (by, line) = counted.back_first;
        totals.leave_out("clock_back", counted.back, || {
            let seconds = by / 1_000_000_000;
            format!("steps back of the clock, the first by {seconds} s in line {line}: {{}}; time goes on from there (if the file is \
                 sorted by device, sort it by time instead)")
        });
        let (by, line) = counted.ahead_first;
        totals.leave_out("clock_ahead", counted.ahead, || {
            let days = by / (24 * 3600 * 1_000_000_000);
            format!("steps ahead of the clock, the first by {days} days in line {line}: {{}}; such gaps are taken out")
        });
    }
}
