//! The word on which a job with slices begins to work.

use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

/// A beginning further ahead than this was not meant for the clock it is read on.
const FURTHEST_NS: u64 = 3600 * 1_000_000_000;

/// Why a job is not told to go. Each message says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotNow {
    /// It went when it was set up.
    #[error("this job has no slices, so it begins by itself: do not tell it to go")]
    NoSlices,
    /// It would miss its beginning.
    #[error("this job is not set up yet: wait until its phase is ready, and then tell it to go")]
    NotReady,
    /// Its times are set.
    #[error("this job was told to go before: do that once")]
    Twice,
    /// There is nothing to begin.
    #[error("this job has ended, or is about to: start another one")]
    Over,
    /// The moment cannot be kept.
    #[error(
        "the moment to go is not on CLOCK_MONOTONIC of this machine, or not within the next hour: it is now {now_ns}, and {begin_ns} was said"
    )]
    WrongMoment {
        /// Said.
        begin_ns: u64,
        /// Read.
        now_ns: u64,
    },
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    NoSlices,
    NotReady,
    Ready,
    Told(u64),
    Over,
}

/// Where the word is left for the job.
#[derive(Debug)]
pub struct Go(Mutex<State>);

impl Go {
    /// Of a job that waits for it, or does not.
    pub fn new(waits: bool) -> Self {
        Self(Mutex::new(if waits { State::NotReady } else { State::NoSlices }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job is set up.
    pub fn ready(&self) {
        *self.state() = State::Ready;
    }

    /// The job works no longer.
    pub fn over(&self) {
        let mut state = self.state();
        if *state != State::NoSlices {
            *state = State::Over;
        }
    }

    /// From when its times count, once that is said.
    pub fn told(&self) -> Option<u64> {
        match *self.state() {
            State::Told(begin_ns) => Some(begin_ns),
            _ => None,
        }
    }

    /// Says that its times count from `begin_ns` on; it is `now_ns`.
    pub fn tell(&self, begin_ns: u64, now_ns: u64) -> Result<(), NotNow> {
        let mut state = self.state();
        match *state {
            State::NoSlices => Err(NotNow::NoSlices),
            State::NotReady => Err(NotNow::NotReady),
            State::Told(_) => Err(NotNow::Twice),
            State::Over => Err(NotNow::Over),
            State::Ready if begin_ns < now_ns || begin_ns - now_ns > FURTHEST_NS => {
                Err(NotNow::WrongMoment { begin_ns, now_ns })
            }
            State::Ready => {
                *state = State::Told(begin_ns);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_goes_once_when_it_is_ready_and_at_a_moment_ahead() {
        assert_eq!(Go::new(false).tell(10, 5), Err(NotNow::NoSlices));
        let go = Go::new(true);
        assert_eq!(go.tell(10, 5), Err(NotNow::NotReady));
        go.ready();
        for begin_ns in [4, 6 + FURTHEST_NS] {
            assert_eq!(go.tell(begin_ns, 5), Err(NotNow::WrongMoment { begin_ns, now_ns: 5 }));
        }
        assert_eq!((go.told(), go.tell(10, 5), go.told()), (None, Ok(()), Some(10)));
        assert_eq!(go.tell(11, 5), Err(NotNow::Twice));
        go.over();
        assert_eq!((go.tell(11, 5), go.told()), (Err(NotNow::Over), None));
        let never = Go::new(false);
        never.over();
        assert_eq!(never.tell(10, 5), Err(NotNow::NoSlices));
    }
}
