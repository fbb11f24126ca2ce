//! The control channel: one JSON object per line on a Unix socket, one answer per line.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use plimsoll_core::clock::Clock;
use serde::{Deserialize, Serialize};

use super::device::Device;
use crate::error::VolumeError;
use crate::model::fault_state::Fault;
use crate::spec::VolumeSpec;
use crate::stats::Statistics;

/// A client that says nothing for this long is in the way of the others.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Longest line; a volume description is a few hundred bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// What a client may ask for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", tag = "command", deny_unknown_fields)]
enum Command {
    /// The statistics page.
    Stats,
    /// Change the volume while it is in use.
    Set {
        /// What it becomes.
        spec: Box<VolumeSpec>,
    },
    /// Buckets and credits as they were at the start.
    Restart,
    /// Begin or clear a fault.
    Fault {
        /// Which one.
        fault: Fault,
    },
    /// Let operations go past the model, or end that.
    Bypass {
        /// Begin or end.
        on: bool,
        /// How long each answer waits meanwhile.
        #[serde(default)]
        wait_ns: u64,
    },
    /// Answer so much earlier, because the way to the program takes that long.
    Compensate {
        /// Measured by the program that made the device.
        path_ns: u64,
    },
    /// Unmount and end.
    Stop {
        /// Also while it is in use: operations under way fail.
        #[serde(default)]
        force: bool,
    },
}

/// The answer to every command.
#[derive(Debug, Default, Serialize)]
struct Answer {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Box<Statistics>>,
    /// Bytes that a power loss took back.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_bytes: Option<u64>,
}

/// Answers the commands of one client until it hangs up; true once the volume was unmounted. `unmount` tries to.
pub fn converse(
    stream: &UnixStream,
    device: &Device,
    unmount: &dyn Fn(bool) -> Result<(), VolumeError>,
) -> io::Result<bool> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut lines = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if lines.by_ref().take(LINE_BYTES_MAX).read_line(&mut line)? == 0 {
            return Ok(false);
        }
        let mut stopped = false;
        let answer = obey(&line, device, unmount, &mut stopped)
            .unwrap_or_else(|error| Answer { error: Some(error.to_string()), ..Answer::default() });
        let mut text = serde_json::to_string(&answer)?;
        text.push('\n');
        (&mut &*stream).write_all(text.as_bytes())?;
        if stopped {
            return Ok(true);
        }
    }
}

fn obey(
    line: &str,
    device: &Device,
    unmount: &dyn Fn(bool) -> Result<(), VolumeError>,
    stopped: &mut bool,
) -> Result<Answer, VolumeError> {
    let command =
        serde_json::from_str(line).map_err(|e| VolumeError::spec(format!("cannot understand the command: {e}")))?;
    let mut answer = Answer { ok: true, ..Answer::default() };
    match command {
        Command::Stats => answer.stats = Some(Box::new(device.statistics(now_ns()))),
        Command::Set { spec } => device.modify(&spec, now_ns())?,
        Command::Restart => device.restart(now_ns()),
        Command::Fault { fault } => {
            let lost =
                device.inject(fault, now_ns()).map_err(VolumeError::system("cannot take back unflushed writes"))?;
            answer.lost_bytes = matches!(fault, Fault::PowerLoss { .. }).then_some(lost);
        }
        Command::Bypass { on, wait_ns } => device.bypass(on, wait_ns),
        Command::Compensate { path_ns } => device.compensate(path_ns),
        Command::Stop { force } => {
            unmount(force)?;
            *stopped = true;
        }
    }
    Ok(answer)
}

fn now_ns() -> u64 {
    Clock::new().now_ns()
}
