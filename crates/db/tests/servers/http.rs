//! nginx.

use std::fs;

use super::{Server, find, folder, free_port, started};

/// nginx with one page of `PAGE` bytes.
pub const PAGE: usize = 3064;

/// nginx with a page at `/page.html`.
pub fn start() -> Option<Server> {
    let program = find(&["nginx"])?;
    let (folder, _) = folder("root");
    let (place, port) = (folder.path().display().to_string(), free_port());
    fs::create_dir(folder.path().join("html")).unwrap();
    fs::write(folder.path().join("html/page.html"), vec![b'x'; PAGE]).unwrap();
    // The workers' account must get in.
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = folder.path().join("nginx.conf");
    let text = format!(
        "daemon off; pid {place}/pid; error_log {place}/error.log; worker_rlimit_nofile 8192;\n\
         events {{ worker_connections 4096; }}\n\
         http {{ access_log off; client_body_temp_path {place}/a; proxy_temp_path {place}/b; fastcgi_temp_path {place}/c;\n\
         uwsgi_temp_path {place}/d; scgi_temp_path {place}/e; keepalive_requests 100;\n\
         server {{ listen 127.0.0.1:{port} backlog=4096; root {place}/html; }} }}\n"
    );
    fs::write(&settings, text).unwrap();
    let shown = settings.display().to_string();
    let words = [program.to_str()?, "-c", &shown];
    Some(started(folder, port, format!("http://127.0.0.1:{port}/page.html"), &words, None))
}
