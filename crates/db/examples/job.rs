//! Runs the database job in the file that is named, or on standard input, and writes its outcome.
use std::io::Read;

#[expect(clippy::print_stdout, reason = "the outcome is the output of this program")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
    };
    let job = plimsoll_db::Job::start(serde_json::from_str(&text)?)?;
    let outcome = job.result(None).ok_or("the job has no end")?;
    println!("{}", serde_json::to_string(&outcome)?);
    Ok(())
}
