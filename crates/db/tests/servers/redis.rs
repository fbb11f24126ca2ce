//! Redis.

use super::{Server, find, folder, free_port, started};

/// As conformance is tested.
pub fn start() -> Option<Server> {
    server(None)
}

/// Redis; with a password when there is one.
pub fn server(password: Option<&str>) -> Option<Server> {
    let program = find(&["redis-server"])?;
    let (folder, user) = folder("redis");
    let port = free_port();
    let (place, text) = (folder.path().display().to_string(), port.to_string());
    let mut words = vec![program.to_str()?, "--port", &text, "--bind", "127.0.0.1", "--save", "", "--dir", &place];
    if let Some(password) = password {
        words.extend(["--requirepass", password]);
    }
    Some(started(folder, port, format!("redis://127.0.0.1:{port}/0"), &words, user))
}
