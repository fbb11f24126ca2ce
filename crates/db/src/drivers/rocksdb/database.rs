//! An open RocksDB database, and a table in it.

use std::ffi::{CStr, CString, c_char, c_int};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::library::{self, Api, Database, Family, Options, ReadOptions, Walk, WriteOptions, text};
use super::settings::Settings;
use super::threads;
use crate::fault::{Cause, Fault};

/// Memory of the write buffers of a column family, the library's own default.
const BUFFER_BYTES: u64 = 512 << 20;
/// Where YCSB's binding keeps the names of the tables.
const TABLES: &str = "CF_NAMES";

/// A database that this process has open. One process at a time can.
pub struct Db {
    api: &'static Api,
    raw: *mut Database,
    options: *mut Options,
    write: *mut WriteOptions,
    read: *mut ReadOptions,
    /// Column families that are not the workload's table.
    others: Vec<*mut Family>,
    path: String,
}

// SAFETY: the library's functions may be called by any number of threads at once; what the pointers lead to is never
// changed by us while it is open.
unsafe impl Send for Db {}
// SAFETY: as above.
unsafe impl Sync for Db {}

/// A table: a column family.
pub struct Table {
    db: Arc<Db>,
    raw: *mut Family,
}

// SAFETY: as for `Db`.
unsafe impl Send for Table {}
// SAFETY: as for `Db`.
unsafe impl Sync for Table {}

impl Db {
    /// Opens the database at `path`, or makes it; with the table called `table` if there is one.
    pub fn open(path: &str, table: &str, settings: &Settings) -> Result<(Arc<Self>, Option<Table>), Fault> {
        let api = library::api().map_err(|missing| Fault::broken(Cause::Connect, missing))?;
        let failed = |fault: Fault| Fault {
            cause: Cause::Connect,
            message: format!("cannot open the RocksDB database {path}: {}", explained(&fault.message)),
            broken: true,
        };
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let ready = threads::ready(processors, settings).map_err(|why| failed(Fault::broken(Cause::Connect, why)))?;
        // SAFETY: takes nothing; each of the three is destroyed with `db`.
        let (options, write, read) =
            unsafe { ((api.options_create)(), (api.writeoptions_create)(), (api.readoptions_create)()) };
        let mut db =
            Self { api, raw: std::ptr::null_mut(), options, write, read, others: Vec::new(), path: path.to_owned() };
        db.choose(settings, processors).map_err(failed)?;
        let names = db.families().map_err(failed)?;
        let handles = db.open_families(&names).map_err(failed)?;
        ready.opened();
        let mut own = None;
        for (name, handle) in names.iter().zip(handles) {
            if name.to_bytes() == table.as_bytes() {
                own = Some(handle);
            } else {
                db.others.push(handle);
            }
        }
        let db = Arc::new(db);
        let table = own.map(|raw| Table { db: Arc::clone(&db), raw });
        Ok((db, table))
    }

    /// Options as YCSB's binding has them, and then those that were asked for.
    fn choose(&self, settings: &Settings, processors: usize) -> Result<(), Fault> {
        let (api, options) = (self.api, self.options);
        // SAFETY: the pointers are ours and alive.
        unsafe {
            (api.options_set_create_if_missing)(options, 1);
            (api.options_increase_parallelism)(options, threads::parallel(processors) as c_int);
            (api.options_optimize_level_style_compaction)(options, BUFFER_BYTES);
            (api.writeoptions_set_sync)(self.write, settings.sync.into());
            (api.writeoptions_disable_WAL)(self.write, c_int::from(!settings.log));
        }
        if settings.others.is_empty() {
            return Ok(());
        }
        let words = text(&settings.others)?;
        // SAFETY: as above; base and result may be the same, because the library copies the base first.
        api.checked(|error| unsafe { (api.get_options_from_string)(options, words.as_ptr(), options, error) })
    }

    /// Names of the column families that are there; of a new database, those that it will have.
    fn families(&self) -> Result<Vec<CString>, Fault> {
        if !Path::new(&self.path).join("CURRENT").exists() {
            return Ok(vec![c"default".to_owned()]);
        }
        let (api, path) = (self.api, text(&self.path)?);
        let mut count = 0;
        // SAFETY: the pointers live through the call.
        let list = api.checked(|error| unsafe {
            (api.list_column_families)(self.options, path.as_ptr(), &raw mut count, error)
        })?;
        // SAFETY: the library made a list of `count` texts, which is copied and then given back once.
        unsafe {
            let names = (0..count).map(|i| CStr::from_ptr(*list.add(i)).to_owned()).collect();
            (api.list_column_families_destroy)(list, count);
            Ok(names)
        }
    }

    fn open_families(&mut self, names: &[CString]) -> Result<Vec<*mut Family>, Fault> {
        let (api, path) = (self.api, text(&self.path)?);
        let pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let options = vec![self.options.cast_const(); names.len()];
        let mut handles = vec![std::ptr::null_mut(); names.len()];
        // SAFETY: three lists as long as stated, which live through the call, and options and a path that are ours.
        self.raw = api.checked(|error| unsafe {
            (api.open_column_families)(
                self.options,
                path.as_ptr(),
                names.len() as c_int,
                pointers.as_ptr(),
                options.as_ptr(),
                handles.as_mut_ptr(),
                error,
            )
        })?;
        Ok(handles)
    }

    /// Makes a table.
    pub fn create(self: &Arc<Self>, name: &str) -> Result<Table, Fault> {
        let (api, written) = (self.api, text(name)?);
        // SAFETY: database, options and name are ours and alive.
        let raw = api
            .checked(|error| unsafe { (api.create_column_family)(self.raw, self.options, written.as_ptr(), error) })?;
        self.list_tables()?;
        Ok(Table { db: Arc::clone(self), raw })
    }

    /// Writes the list of the tables, without which YCSB's binding could not open the database any more.
    pub fn list_tables(&self) -> Result<(), Fault> {
        let list = self.families()?.iter().map(|name| name.to_string_lossy().into_owned() + "\n").collect::<String>();
        let place = Path::new(&self.path).join(TABLES);
        fs::write(&place, list)
            .map_err(|error| Fault::refused(Cause::Server, format!("cannot write {}: {error}", place.display())))
    }

    /// Version and options in use, as the library itself writes them down.
    pub fn options(&self) -> Vec<(String, String)> {
        let files = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut names: Vec<String> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
        names.retain(|name| name.starts_with("OPTIONS-") && !name.ends_with("dbtmp"));
        names.sort_by_key(|name| (name.len(), name.clone()));
        let newest = names.last().map(|name| fs::read_to_string(Path::new(&self.path).join(name)));
        let text = newest.and_then(Result::ok).unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.trim().split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

/// What to do about a message of opening.
fn explained(message: &str) -> String {
    let held = message.contains("LOCK:") || message.contains("lock hold");
    let hint = if held { ": another program has it open, and only one can" } else { "" };
    format!("{message}{hint}")
}

impl Drop for Db {
    fn drop(&mut self) {
        let api = self.api;
        // SAFETY: everything is ours and alive, tables are gone (they hold this), and each is destroyed once.
        unsafe {
            self.others.iter().for_each(|&family| (api.column_family_handle_destroy)(family));
            if !self.raw.is_null() {
                (api.close)(self.raw);
            }
            (api.options_destroy)(self.options);
            (api.writeoptions_destroy)(self.write);
            (api.readoptions_destroy)(self.read);
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: it is ours, and its database is still open.
        unsafe { (self.db.api.column_family_handle_destroy)(self.raw) };
    }
}

impl Table {
    /// Hands the record of a key to `take`; nothing when there is none.
    #[inline]
    pub fn get<T>(&self, key: &[u8], take: impl FnOnce(&[u8]) -> Result<T, Fault>) -> Result<Option<T>, Fault> {
        let Db { api, raw, read, .. } = *self.db;
        // SAFETY: database, options and table are open; pointer and length are those of a slice.
        let pinned = api.checked(|error| unsafe {
            (api.get_pinned_cf)(raw, read, self.raw, key.as_ptr().cast(), key.len(), error)
        })?;
        if pinned.is_null() {
            return Ok(None);
        }
        let mut length = 0;
        // SAFETY: the bytes stay where they are until `pinned` is destroyed, which happens after their only use.
        unsafe {
            let bytes = (api.pinnableslice_value)(pinned, &raw mut length);
            let result = take(slice(bytes, length));
            (api.pinnableslice_destroy)(pinned);
            result.map(Some)
        }
    }

    /// Writes a record, whether there is one or not.
    #[inline]
    pub fn put(&self, key: &[u8], record: &[u8]) -> Result<(), Fault> {
        let Db { api, raw, write, .. } = *self.db;
        let (key, value) = ((key.as_ptr().cast(), key.len()), (record.as_ptr().cast(), record.len()));
        // SAFETY: database, options and table are open; pointers and lengths are those of slices.
        api.checked(|error| unsafe { (api.put_cf)(raw, write, self.raw, key.0, key.1, value.0, value.1, error) })
    }

    /// Removes a record.
    pub fn delete(&self, key: &[u8]) -> Result<(), Fault> {
        let Db { api, raw, write, .. } = *self.db;
        // SAFETY: as above.
        api.checked(|error| unsafe { (api.delete_cf)(raw, write, self.raw, key.as_ptr().cast(), key.len(), error) })
    }

    /// Hands at most `most` records to `take`, from `key` on, in the order of their keys; says how many.
    pub fn scan(&self, key: &[u8], most: u64, mut take: impl FnMut(&[u8]) -> Result<(), Fault>) -> Result<u64, Fault> {
        let Db { api, raw, read, .. } = *self.db;
        // SAFETY: database, options and table are open and outlive the iterator, which is destroyed when it is dropped.
        let at = Cursor { api, raw: unsafe { (api.create_iterator_cf)(raw, read, self.raw) } };
        // SAFETY: pointer and length are those of a slice.
        unsafe { (api.iter_seek)(at.raw, key.as_ptr().cast(), key.len()) };
        let mut count = 0;
        // SAFETY: the iterator is alive, and its value is valid until it moves on.
        while count < most && unsafe { (api.iter_valid)(at.raw) } != 0 {
            let mut length = 0;
            // SAFETY: as above.
            unsafe {
                let bytes = (api.iter_value)(at.raw, &raw mut length);
                take(slice(bytes, length))?;
                (api.iter_next)(at.raw);
            }
            count += 1;
        }
        // SAFETY: as above.
        api.checked(|error| unsafe { (api.iter_get_error)(at.raw, error) })?;
        Ok(count)
    }

    /// Removes the table and everything in it.
    pub fn remove(self) -> Result<(), Fault> {
        let Db { api, raw, .. } = *self.db;
        // SAFETY: database and table are open.
        api.checked(|error| unsafe { (api.drop_column_family)(raw, self.raw, error) })
    }
}

/// An iterator of the library.
struct Cursor {
    api: &'static Api,
    raw: *mut Walk,
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // SAFETY: it is ours and alive.
        unsafe { (self.api.iter_destroy)(self.raw) };
    }
}

/// # Safety
/// `length` bytes at `bytes` stay as they are while the slice is used.
unsafe fn slice<'a>(bytes: *const c_char, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(bytes.cast(), length) }
}
