//! For build scripts: the modules of a folder as Rust source, so that a new file in it is all that has to be added.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The modules of a folder.
#[derive(Debug)]
pub struct Modules(Vec<Module>);

#[derive(Debug)]
struct Module {
    name: String,
    file: PathBuf,
}

impl Modules {
    /// Those of `folder`, relative to the manifest, by name: each `.rs` file but `mod.rs`, and each folder with a `mod.rs`.
    /// The build script runs again when the folder changes.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    #[expect(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
    pub fn of(folder: &str) -> io::Result<Self> {
        let folder = variable("CARGO_MANIFEST_DIR")?.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        Self::in_folder(&folder)
    }

    fn in_folder(folder: &Path) -> io::Result<Self> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let file = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
            let is_module = file.extension().is_some_and(|extension| extension == "rs") && file.is_file();
            match path.file_stem().and_then(|stem| stem.to_str()) {
                Some(name) if is_module && name != "mod" => found.push(Module { name: name.to_owned(), file }),
                _ => {}
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self(found))
    }

    /// Writes `$OUT_DIR/NAME.rs`, which declares the modules and hands them to the macro `NAME!`, each with the type that it
    /// has by its name: with `Engine`, `io_uring` is `io_uring IoUringEngine`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn declare(&self, name: &str, suffix: &str) -> io::Result<()> {
        let entries = self.entries(name, |module| format!("{} {}{suffix}", module.name, camel(&module.name)));
        write(name, &(self.declarations() + &entries))
    }

    /// Writes `$OUT_DIR/NAME.rs`, which declares the modules and hands their names to the macro `NAME!`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn declare_plain(&self, name: &str) -> io::Result<()> {
        write(name, &(self.declarations() + &self.names(name)))
    }

    /// Writes `$OUT_DIR/NAME.rs`, which hands the names of the modules to the macro `NAME!`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn list(&self, name: &str) -> io::Result<()> {
        write(name, &self.names(name))
    }

    fn names(&self, name: &str) -> String {
        self.entries(name, |module| module.name.clone())
    }

    fn declarations(&self) -> String {
        self.0.iter().map(|module| format!("#[path = {:?}]\npub(crate) mod {};\n", module.file, module.name)).collect()
    }

    fn entries(&self, name: &str, entry: impl Fn(&Module) -> String) -> String {
        let entries: String = self.0.iter().map(|module| format!("    {},\n", entry(module))).collect();
        format!("{name}! {{\n{entries}}}\n")
    }
}

fn write(name: &str, source: &str) -> io::Result<()> {
    fs::write(variable("OUT_DIR")?.join(format!("{name}.rs")), source)
}

fn variable(name: &str) -> io::Result<PathBuf> {
    env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(format!("{name} is not set: run it by cargo")))
}

fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split('_').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_listed_by_name_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("redis")).unwrap();
        fs::create_dir(at("notes")).unwrap();
        for name in ["mod.rs", "redis/mod.rs", "redis/reply.rs", "io_uring.rs", "README.md"] {
            fs::write(at(name), "").unwrap();
        }
        let found = Modules::in_folder(folder.path()).unwrap();
        assert_eq!(found.names("all"), "all! {\n    io_uring,\n    redis,\n}\n");
        let declared = |file, name| format!("#[path = {:?}]\npub(crate) mod {name};\n", at(file));
        assert_eq!(found.declarations(), declared("io_uring.rs", "io_uring") + &declared("redis/mod.rs", "redis"));
        assert_eq!(["io_uring", "null"].map(camel), ["IoUring", "Null"]);
    }
}
