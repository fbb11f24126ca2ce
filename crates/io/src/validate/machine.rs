//! What the engine and this machine can do.

use std::thread;

use crate::spec::{DropEach, JobSpec, SyncKind};
use plimsoll_core::error::JobError;
use plimsoll_core::threads::ThreadFault;

use crate::buffer;
use crate::engine::Caps;
use crate::engines;
use crate::launch;

use super::refuse;

/// Refuses what they cannot do on any target, and says what the engine can.
pub fn validate(spec: &JobSpec) -> Result<Caps, JobError> {
    let caps = engine(spec)?;
    abilities(spec, &caps)?;
    if caps.real {
        path(spec)?;
    }
    memory(spec)?;
    cpus(spec)?;
    Ok(caps)
}

fn engine(spec: &JobSpec) -> Result<Caps, JobError> {
    let Some(entry) = engines::find(&spec.engine) else {
        return refuse(format!("there is no engine {:?}", spec.engine));
    };
    match (entry.available)() {
        Ok(()) => Ok(entry.caps),
        Err(reason) => {
            let other = if spec.engine == "libaio" { "psync" } else { "libaio" };
            refuse(format!("engine {} cannot be used here: {reason}; choose another with engine={other}", spec.engine))
        }
    }
}

fn abilities(spec: &JobSpec, caps: &Caps) -> Result<(), JobError> {
    let name = caps.name;
    if let Some(max) = caps.max_depth.filter(|&max| spec.depth > max) {
        return refuse(format!(
            "engine {name} has at most {max} operation{} in flight per thread, depth is {depth}; set depth={max} (and threads={depth} for as many in flight), or engine=io_uring",
            if max == 1 { "" } else { "s" },
            depth = spec.depth,
        ));
    }
    if spec.mode.reads() && !caps.reads {
        return refuse(format!("engine {name} cannot read: use a mode that writes"));
    }
    if spec.direct && !caps.direct {
        return refuse(format!("engine {name} cannot bypass the page cache; set direct=no, or engine=io_uring"));
    }
    if spec.opened() != SyncKind::None && !caps.dsync {
        return refuse(format!("engine {name} has no O_SYNC or O_DSYNC writes: use fdatasync or another engine"));
    }
    if (spec.sqpoll || spec.iopoll) && !caps.polls {
        return refuse(format!("engine {name} has neither sqpoll nor iopoll: leave them off or use io_uring"));
    }
    if (spec.hipri || spec.nowait) && name != "psync" {
        return refuse(format!("engine {name} has neither hipri nor nowait: leave them off or use psync"));
    }
    if spec.iopoll {
        if !spec.direct && caps.real {
            return refuse("iopoll works only with direct I/O: turn direct on");
        }
        let syncs = spec.sync_every().is_some() || spec.sync_at_end;
        if syncs || spec.mode.trims() {
            return refuse("a ring with iopoll takes reads and writes only: leave sync and trim off, or iopoll");
        }
    }
    if spec.priorities.is_some() && !caps.priorities {
        return refuse(format!("engine {name} gives single operations no priority: use libaio or io_uring"));
    }
    if spec.trims() && !(caps.trim_file || caps.trim_device) {
        return refuse(format!("engine {name} cannot trim; set engine=psync and depth=1"));
    }
    if (spec.files.is_some() || spec.drop_each == DropEach::Files) && !caps.files {
        return refuse(format!("engine {name} works on one file that stays: use another engine, or one file"));
    }
    if spec.verify && !caps.stores {
        return refuse(format!("engine {name} stores nothing, so there is nothing to verify: use another engine"));
    }
    Ok(())
}

fn path(spec: &JobSpec) -> Result<(), JobError> {
    if spec.path.is_empty() {
        return refuse("no path is given: name a file or a block device");
    }
    if spec.path.contains('\0') {
        return refuse("the path contains a null character, which no file name can hold: use another path");
    }
    Ok(())
}

/// All pages of all buffers are touched before the start: more than there are would end in the kernel killing a process.
fn memory(spec: &JobSpec) -> Result<(), JobError> {
    let largest = spec.largest_block();
    let count = launch::buffers(spec) as u64 * u64::from(spec.threads);
    let needed = largest.next_multiple_of(buffer::ALIGNMENT as u64).saturating_mul(count);
    // SAFETY: both take an integer only.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let memory = u64::try_from(pages).unwrap_or(0) * u64::try_from(page).unwrap_or(0);
    if memory > 0 && needed > memory {
        return refuse(format!(
            "the buffers of {} threads at depth {} need {needed} bytes, this machine has {memory} bytes of memory: use fewer threads, a lower depth or smaller blocks",
            spec.threads, spec.depth
        ));
    }
    Ok(())
}

fn cpus(spec: &JobSpec) -> Result<(), JobError> {
    // SAFETY: takes an integer only.
    let configured = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) }.max(1) as usize;
    if let Some(cpu) = spec.cpus.iter().find(|&&cpu| cpu >= configured) {
        return refuse(format!("there is no CPU {cpu}: this machine has CPUs 0 to {}", configured - 1));
    }
    if spec.cpus.is_empty() {
        return Ok(());
    }
    // CPUs that are offline or outside the control group are known to the kernel only. A thread of its own tries them, so
    // that the caller stays where it is.
    let try_all = || spec.cpus.iter().try_for_each(|&cpu| launch::pin(cpu));
    thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, try_all) {
        Ok(trial) => trial.join().unwrap_or(Ok(())),
        Err(error) => refuse(ThreadFault::refused("the thread that tries the CPUs", error).to_string()),
    })
}
