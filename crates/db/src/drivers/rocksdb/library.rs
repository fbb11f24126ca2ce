//! RocksDB's C interface (`rocksdb/c.h`), found when it is needed: nothing of it is linked, so that the client runs without.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::sync::OnceLock;

use libloading::Library;

use crate::fault::{Cause, Fault};

/// Names under which systems have the library: that of development packages, then by version, newest first.
const MAJOR_VERSIONS: std::ops::RangeInclusive<u32> = 6..=12;
/// More minor versions than any major one has had.
const MINOR_VERSIONS: u32 = 40;

macro_rules! opaque {
    ($($name:ident),+) => {
        $(
            /// Of the library; only pointed to.
            #[repr(C)]
            #[derive(Debug)]
            pub struct $name(c_void);
        )+
    };
}

opaque!(Options, WriteOptions, ReadOptions, Database, Family, Walk, Pinned);

/// Where the library leaves a message; to be freed.
type Error = *mut *mut c_char;

macro_rules! functions {
    ($($name:ident: fn($($kind:ty),* $(,)?) $(-> $back:ty)?;)+) => {
        /// The functions that we use, without their prefix `rocksdb_`.
        #[allow(non_snake_case, reason = "the library's names")]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($kind),*) $(-> $back)?,)+
            /// Keeps them valid.
            _library: Library,
        }

        impl Api {
            fn bind(library: Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the types are those of c.h, which have been the same since the oldest version we look for.
                    $($name: unsafe { *library.get(concat!("rocksdb_", stringify!($name)).as_bytes())? },)+
                    _library: library,
                })
            }
        }
    };
}

functions! {
    options_create: fn() -> *mut Options;
    options_destroy: fn(*mut Options);
    options_set_create_if_missing: fn(*mut Options, c_uchar);
    options_increase_parallelism: fn(*mut Options, c_int);
    options_optimize_level_style_compaction: fn(*mut Options, u64);
    get_options_from_string: fn(*const Options, *const c_char, *mut Options, Error);
    list_column_families: fn(*const Options, *const c_char, *mut usize, Error) -> *mut *mut c_char;
    list_column_families_destroy: fn(*mut *mut c_char, usize);
    open_column_families: fn(
        *const Options, *const c_char, c_int, *const *const c_char, *const *const Options, *mut *mut Family, Error,
    ) -> *mut Database;
    create_column_family: fn(*mut Database, *const Options, *const c_char, Error) -> *mut Family;
    drop_column_family: fn(*mut Database, *mut Family, Error);
    column_family_handle_destroy: fn(*mut Family);
    close: fn(*mut Database);
    writeoptions_create: fn() -> *mut WriteOptions;
    writeoptions_destroy: fn(*mut WriteOptions);
    writeoptions_set_sync: fn(*mut WriteOptions, c_uchar);
    writeoptions_disable_WAL: fn(*mut WriteOptions, c_int);
    readoptions_create: fn() -> *mut ReadOptions;
    readoptions_destroy: fn(*mut ReadOptions);
    put_cf: fn(
        *mut Database, *const WriteOptions, *mut Family, *const c_char, usize, *const c_char, usize, Error,
    );
    delete_cf: fn(*mut Database, *const WriteOptions, *mut Family, *const c_char, usize, Error);
    get_pinned_cf: fn(
        *mut Database, *const ReadOptions, *mut Family, *const c_char, usize, Error,
    ) -> *mut Pinned;
    pinnableslice_value: fn(*const Pinned, *mut usize) -> *const c_char;
    pinnableslice_destroy: fn(*mut Pinned);
    create_iterator_cf: fn(*mut Database, *const ReadOptions, *mut Family) -> *mut Walk;
    iter_destroy: fn(*mut Walk);
    iter_valid: fn(*const Walk) -> c_uchar;
    iter_seek: fn(*mut Walk, *const c_char, usize);
    iter_next: fn(*mut Walk);
    iter_value: fn(*const Walk, *mut usize) -> *const c_char;
    iter_get_error: fn(*const Walk, Error);
    free: fn(*mut c_void);
}

/// The library; loaded once, never unloaded. The sentence says what is missing.
pub fn api() -> Result<&'static Api, &'static str> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(load).as_ref().map_err(String::as_str)
}

fn load() -> Result<Api, String> {
    let versions = MAJOR_VERSIONS.rev().flat_map(|major| (0..MINOR_VERSIONS).rev().map(move |minor| (major, minor)));
    let versioned = versions.map(|(major, minor)| format!("librocksdb.so.{major}.{minor}"));
    // SAFETY: what runs when RocksDB's library is loaded are its own initialisers, which need nothing.
    let mut found = std::iter::once("librocksdb.so".to_owned())
        .chain(versioned)
        .filter_map(|name| unsafe { Library::new(name).ok() });
    let Some(library) = found.next() else {
        return Err("RocksDB's library (librocksdb.so) is not on this machine: install it, on Debian and Ubuntu the \
                    package librocksdb-dev"
            .to_owned());
    };
    Api::bind(library).map_err(|error| format!("RocksDB's library on this machine is too old for this driver: {error}"))
}

impl Api {
    /// Calls a function that may leave a message, and makes a fault of that.
    #[inline]
    pub fn checked<T>(&self, call: impl FnOnce(Error) -> T) -> Result<T, Fault> {
        let mut error: *mut c_char = std::ptr::null_mut();
        let result = call(&raw mut error);
        if error.is_null() { Ok(result) } else { Err(self.fault(error)) }
    }

    #[cold]
    fn fault(&self, error: *mut c_char) -> Fault {
        // SAFETY: a message of the library ends with a zero, and is ours to free once.
        let message = unsafe {
            let message = CStr::from_ptr(error).to_string_lossy().into_owned();
            (self.free)(error.cast());
            message
        };
        Fault::refused(cause_of(&message), message)
    }
}

/// The library tells statuses apart by the beginning of their message.
fn cause_of(message: &str) -> Cause {
    if message.contains("No space left on device") || message.contains("Disk quota exceeded") {
        Cause::DiskFull
    } else if message.contains("Read-only file system") {
        Cause::ReadOnly
    } else if message.starts_with("Resource busy") || message.starts_with("Operation timed out") {
        Cause::Serialization
    } else {
        Cause::Server
    }
}

/// Text as C has it; text with a zero inside is no name of anything.
pub fn text(text: &str) -> Result<CString, Fault> {
    CString::new(text).map_err(|_| Fault::refused(Cause::Server, format!("{text:?} holds a zero byte")))
}
