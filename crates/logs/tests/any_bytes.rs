//! Whatever the bytes and wherever they are cut into chunks: one answer or one refusal, never a panic.

use plimsoll_logs::answer::Answer;
use plimsoll_logs::stream::Refusal;
use plimsoll_logs::{KINDS, Reader};
use proptest::prelude::*;

const HDR: &str = "HISTFAAAAC14nJNpmSzMwMDAzAABzFCaEUzOuwBi7z8AkWAEABWrBQk=";

fn read(kind: &str, chunks: &[&[u8]]) -> Result<Answer, Refusal> {
    let mut reader = Reader::of(kind).unwrap();
    chunks.iter().try_for_each(|chunk| reader.feed(chunk))?;
    reader.finish()
}

/// Text that is nearly a log.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[0-9]{1,20}",
        Just(", ".to_owned()),
        Just("\n".to_owned()),
        Just("1, 200, 0, 4096\n".to_owned()),
        Just("1, 200, 2, 4096, 0x1f, 3\n".to_owned()),
        Just("0 199 2241 0 1175850568 995598\n".to_owned()),
        Just("1795294833 11 58065 1 4 18132 0 0 0 0 0 0 0 0 0\n".to_owned()),
        Just(format!("0.1,1.0,2.0,{HDR}\n")),
        Just(format!("Tag=a,0.1,1.0,2.0,{HDR}\n")),
        Just(format!("1000, 0, 4096{}\n", ", 7".repeat(58))),
        "[ -~]{0,6}",
        Just("\u{fffd}\r\n".to_owned()),
        "[A-Za-z0-9+/=]{0,40}",
        Just("#[Logging for: READ]\n".to_owned()),
    ];
    prop_oneof![
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..200),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn chunks_make_no_difference(bytes in nearly(), cuts in prop::collection::vec(0usize..400, 0..6)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        for kind in KINDS {
            prop_assert_eq!(read(kind, &chunks), read(kind, &[&bytes]));
        }
    }

    #[test]
    fn a_damaged_histogram_is_no_panic(at in 0usize..64, by in any::<u8>(), cut in 0usize..64) {
        let mut row = format!("0.1,1.0,2.0,{HDR}").into_bytes();
        let index = 12 + at.min(HDR.len() - 1);
        row[index] = by;
        row.truncate(row.len().saturating_sub(cut).max(13));
        row.push(b'\n');
        let _ = read("hdr", &[&row]);
    }
}

#[test]
fn a_line_without_end_is_refused_and_not_kept() {
    for kind in KINDS {
        let mut reader = Reader::of(kind).unwrap();
        let zeros = vec![b'0'; 1 << 20];
        let refusal = (0..8).find_map(|_| reader.feed(&zeros).err()).unwrap();
        assert_eq!((refusal.line, refusal.why), (1, "is longer than any line of such a log"), "{kind}");
    }
}

#[test]
fn a_line_is_too_long_wherever_it_is_cut() {
    let rows = b"1, 2, 0, 4096\n3, 4, 0, 4096\n5, 6, 0, 4096\n";
    for blanks in [1010, 1024, 2000] {
        let log = [rows.as_slice(), " ".repeat(blanks).as_bytes(), b"7, 8, 0, 4096\n"].concat();
        let whole = read("fio", &[&log]);
        assert_eq!(whole.is_err(), blanks > 1010, "{blanks}");
        for length in [1, 7, 1000, 1100] {
            assert_eq!(read("fio", &log.chunks(length).collect::<Vec<_>>()), whole, "{blanks}, {length}");
        }
    }
}

#[test]
fn a_refusal_has_its_line() {
    let log = b"1, 2, 0, 4096\n\n3, 4, 0, 4096\n5, 6, 0, 4096\n7, x, 0, 4096\n8, 9, 0, 4096\n";
    let refusal = read("fio", &[log]).unwrap_err();
    assert_eq!((refusal.line, refusal.text.as_str()), (5, "7, x, 0, 4096"));
    let many = b"1, 2, 3, 0, 4096\n3, 4, 0, 4096\n5, 6, 0, 4096\n";
    assert_eq!(read("fio", &[many]).unwrap_err().line, 1, "a number with a comma in it");
}

#[test]
fn a_last_line_that_is_cut_short_is_left_out() {
    let Answer::Fio(found) = read("fio", &[b"1, 2, 0, 4096\n3, 4, 0"]).unwrap() else { panic!("a log of fio") };
    assert!(found.cut);
    assert_eq!(found.found.flows[0].as_ref().unwrap().rows, 1);
    assert!(read("fio", &[b"1, 2, 0, 4096\n3, 4, 0\n"]).is_err(), "with its end it is damage");
}

#[test]
fn a_reader_of_no_kind_is_none() {
    assert!(Reader::of("blkparse").is_none());
}
