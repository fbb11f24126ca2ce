//! A value that one thread sets and others wait for.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Empty at first, then full for ever.
#[derive(Debug)]
pub struct OnceValue<T> {
    value: Mutex<Option<T>>,
    changed: Condvar,
}

impl<T> Default for OnceValue<T> {
    fn default() -> Self {
        Self { value: Mutex::new(None), changed: Condvar::new() }
    }
}

impl<T: Clone> OnceValue<T> {
    /// Stores the value and wakes everyone who waits for it.
    pub fn set(&self, value: T) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        self.changed.notify_all();
    }

    /// A copy of the value, waited for at most `timeout`; nothing when the time is over first.
    pub fn wait(&self, timeout: Option<Duration>) -> Option<T> {
        let guard = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = |value: &mut Option<T>| value.is_none();
        match timeout {
            None => self.changed.wait_while(guard, empty).unwrap_or_else(PoisonError::into_inner).clone(),
            Some(timeout) => {
                let waited = self.changed.wait_timeout_while(guard, timeout, empty);
                waited.unwrap_or_else(PoisonError::into_inner).0.clone()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_gets_the_value_and_an_empty_one_is_nothing() {
        let once = OnceValue::default();
        assert_eq!(once.wait(Some(Duration::ZERO)), None);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| once.wait(None));
            once.set(7);
            assert_eq!(waits.join().ok().flatten(), Some(7));
        });
        assert_eq!(once.wait(Some(Duration::ZERO)), Some(7), "it stays");
    }
}
