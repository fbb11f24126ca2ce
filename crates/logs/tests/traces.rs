//! Traces: what is written is read again, whatever is cut off; texts become events.

use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::header::{Device, Header, NOBODY, Totals};
use plimsoll_logs::trace::sample::Sample;
use plimsoll_logs::trace::writer::Writer;
use plimsoll_logs::trace::{Event, OpKind, Source, UNKNOWN};
use proptest::prelude::*;

fn header() -> Header {
    let devices = vec![Device { name: "vda".to_owned(), ..Device::default() }, Device::default()];
    let processes = vec![NOBODY.to_owned(), "fio".to_owned(), "jbd2".to_owned()];
    Header {
        source: "observe".to_owned(),
        start_unix_ns: Some(7),
        resolution_ns: 1,
        devices,
        processes,
        ..Header::default()
    }
}

fn written(events: &[Event], flush_every: usize) -> Vec<u8> {
    let (mut out, mut totals) = (Vec::new(), Totals::default());
    let mut writer = Writer::new(&header(), &mut out).unwrap();
    for (index, event) in events.iter().enumerate() {
        writer.push(event, &mut out).unwrap();
        totals.add(event);
        if (index + 1) % flush_every == 0 {
            writer.flush(&mut out).unwrap();
        }
    }
    writer.finish(&totals, &mut out).unwrap();
    out
}

fn read(bytes: &[u8], format: Option<&str>, chunk: usize) -> Result<(Vec<Event>, Totals), Fault> {
    let mut source = Source::new(&bytes[..bytes.len().min(65_536)], bytes.len() <= 65_536, format)?;
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    for piece in bytes.chunks(chunk) {
        source.feed(piece)?;
        source.take(&mut batch);
        all.append(&mut batch);
    }
    let totals = source.finish(&mut batch)?;
    all.append(&mut batch);
    Ok((all, totals))
}

fn event() -> impl Strategy<Value = Event> {
    let time = prop_oneof![0u64..1_000_000, Just(UNKNOWN), 0u64..1 << 50];
    let gap = prop_oneof![0u64..100_000, 0u64..1 << 40];
    let offset = prop_oneof![(0u64..1 << 30).prop_map(|sector| sector * 4096), any::<u64>()];
    (gap, time.clone(), time, 0u8..4, offset, any::<u32>(), 0u16..2, 0u16..3).prop_map(
        |(arrival_ns, issue_ns, latency_ns, kind, offset, bytes, device, process)| {
            let issue_ns = if issue_ns > latency_ns { UNKNOWN } else { issue_ns };
            let kind = OpKind::of(kind).unwrap();
            Event { arrival_ns, issue_ns, latency_ns, kind, offset, bytes, device, process }
        },
    )
}

/// Events in order of arrival.
fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(event(), 0..300).prop_map(|mut events| {
        let mut now = 0;
        for event in &mut events {
            now += event.arrival_ns;
            event.arrival_ns = now;
        }
        events
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(events in events(), flush_every in 1usize..400, chunk in 1usize..4000) {
        let (found, totals) = read(&written(&events, flush_every), None, chunk).unwrap();
        prop_assert_eq!(&found, &events);
        prop_assert_eq!(totals.events(), events.len() as u64);
        prop_assert!(!totals.cut);
    }

    #[test]
    fn a_trace_that_is_cut_anywhere_is_read_as_far_as_it_goes(events in events(), cut in any::<prop::sample::Index>()) {
        let whole = written(&events, 50);
        let bytes = &whole[..cut.index(whole.len())];
        match read(bytes, Some("plimsoll"), 777) {
            Ok((found, totals)) => {
                prop_assert!(totals.cut);
                prop_assert_eq!(&found[..], &events[..found.len()]);
                prop_assert!(found.len() % 50 == 0 || found.len() == events.len());
            }
            Err(fault) => prop_assert_eq!(fault.why, "is cut short in its header: there is nothing in it"),
        }
    }

    #[test]
    fn damage_is_refused_or_harmless(events in events(), at in any::<prop::sample::Index>(), by in 1u8..255) {
        let mut bytes = written(&events, 100);
        let at = at.index(bytes.len());
        bytes[at] ^= by;
        if let Ok((found, totals)) = read(&bytes, Some("plimsoll"), 4096) {
            // A length that became too long looks like a file that was cut.
            prop_assert!(totals.cut || found == events);
            prop_assert_eq!(&found[..], &events[..found.len()]);
        }
    }

    #[test]
    fn whatever_the_bytes_there_is_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let marked = [b"PLIMTRC\x01".as_slice(), &bytes].concat();
        let _ = (read(&bytes, None, 64), read(&marked, None, 64), read(&bytes, Some("blkparse"), 64));
    }
}

#[test]
fn a_busy_disk_takes_less_than_ten_bytes_an_io() {
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    let mut arrival_ns = 0;
    let mut event = |_| {
        arrival_ns += random() % 40_000;
        let (issue_ns, latency_ns) = (1_000 + random() % 3_000, 80_000 + random() % 60_000);
        let kind = if random() % 3 == 0 { OpKind::Write } else { OpKind::Read };
        let (offset, process) = ((random() % (1 << 28)) * 4096, (random() % 3) as u16);
        Event { arrival_ns, issue_ns, latency_ns, kind, offset, bytes: 4096, device: 0, process }
    };
    let events: Vec<_> = (0..200_000).map(&mut event).collect();
    let bytes = written(&events, usize::MAX);
    assert!(bytes.len() < 10 * events.len(), "{} bytes an I/O", bytes.len() as f64 / events.len() as f64);
    assert_eq!(read(&bytes, None, 1 << 20).unwrap().0, events);
}

#[test]
fn samples_are_read_again() {
    let samples = [Sample { time_ns: 5, interval_ns: 5, device: 1, ..Sample::default() }];
    let mut out = Vec::new();
    let mut writer = Writer::new(&header(), &mut out).unwrap();
    writer.samples(&samples, &mut out).unwrap();
    writer.finish(&Totals::default(), &mut out).unwrap();
    let mut source = Source::new(&out, true, None).unwrap();
    source.feed(&out).unwrap();
    assert_eq!(source.take_samples(), samples);
    assert_eq!(source.header(), Some(&header()));
    assert!(!source.finish(&mut Vec::new()).unwrap().cut);
}

#[test]
fn a_newer_format_is_refused() {
    let fault = read(b"PLIMTRC\x02rest", None, 64).unwrap_err();
    assert_eq!(fault.why, "is a trace of a newer version of this program; update it");
}

const BLKPARSE: &str = "  8,0    1        1     0.000000000   697  Q  WS 1000 + 8 [fio]
  8,0    1        2     0.000001000   697  G  WS 1000 + 8 [fio]
  8,0    1        3     0.000002000   697  Q  WS 1008 + 8 [fio]
  8,0    1        4     0.000002500   697  M  WS 1008 + 8 [fio]
  8,0    1        5     0.000010000   697  D  WS 1000 + 16 [kworker/1:1H]
  8,0    0        1     0.000050000     0  Q   R 5000 + 64 [postgres]
  8,0    0        2     0.000051000     0  X   R 5000 / 5032 [postgres]
  8,0    0        3     0.000052000     0  D   R 5000 + 32 [postgres]
  8,0    0        4     0.000053000     0  D   R 5032 + 32 [postgres]
  8,0    1        6     0.000110000     0  C  WS 1000 + 16 [0]
  8,0    0        5     0.000150000     0  C   R 5032 + 32 [0]
  8,0    0        6     0.000250000     0  C   R 5000 + 32 [0]
  8,0    0        7     0.000260000     0  C   R 9000 + 32 [0]
  8,0    0        8     0.000270000     1  Q   D 64 + 8 [fstrim]
CPU0 (8,0):
 Reads Queued:           1,       32KiB\t Writes Queued:           0,        0KiB
Skips: 3 forward (17 -   1.2%)
";

#[test]
fn blkparse_becomes_events() {
    let (events, totals) = read(BLKPARSE.as_bytes(), None, 7).unwrap();
    let shown: Vec<_> =
        events.iter().map(|event| (event.arrival_ns, event.offset, event.bytes, event.issue_ns)).collect();
    assert_eq!(
        shown,
        [
            (0, 512_000, 4096, 10_000),
            (2_000, 516_096, 4096, 8_000),
            (50_000, 2_560_000, 32_768, 2_000),
            (270_000, 32_768, 4096, UNKNOWN)
        ]
    );
    let latencies: Vec<_> = events.iter().map(|event| event.latency_ns).collect();
    assert_eq!(latencies, [110_000, 108_000, 200_000, UNKNOWN]);
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [OpKind::Write, OpKind::Write, OpKind::Read, OpKind::Trim]);
    let left: Vec<_> = totals.left_out.iter().map(|left| (left.what.as_str(), left.count)).collect();
    assert_eq!(left, [("lost", 17), ("begun_before", 1)]);
    assert_eq!(totals.unfinished, 1);
}

#[test]
fn a_damaged_line_of_blkparse_is_named() {
    let text = BLKPARSE.replace("0.000110000     0  C", "0.0001x0000     0  C");
    let fault = read(text.as_bytes(), Some("blkparse"), 100).unwrap_err();
    assert_eq!((fault.line, fault.why.as_str()), (Some(10), "is not a line of blkparse's default output"));
}

/// A chunk as the writer makes it.
fn chunk(kind: u8, count: u32, payload: &[u8]) -> Vec<u8> {
    let crc = plimsoll_logs::trace::writer::checksum(kind, count, payload);
    let length = payload.len() as u32;
    [&[kind], &count.to_le_bytes()[..], &length.to_le_bytes(), &crc.to_le_bytes(), payload].concat()
}

#[test]
fn a_few_bytes_that_unpack_to_billions_of_ios_are_refused() {
    let mut bytes = Vec::new();
    Writer::new(&header(), &mut bytes).unwrap();
    // Seven columns of zeros, of 65,536 events.
    let block = chunk(b'E', 65_536, &[0; 4 + 8 + 7]);
    for _ in 0..(1 << 20) / block.len() {
        bytes.extend_from_slice(&block);
    }
    let fault = read(&bytes, None, 1 << 20).unwrap_err();
    assert!(fault.why.starts_with("unpacks to far more I/Os"), "{}", fault.why);
    // As many that are taken as they come are only idle.
    assert_eq!(read(&bytes[..bytes.len().min(4000)], None, 1000).unwrap().0.len() % 65_536, 0);
}

#[test]
fn who_does_not_take_counters_hears_that_these_are_counters() {
    let samples = vec![Sample::default(); 60_000];
    let mut out = Vec::new();
    let mut writer = Writer::new(&header(), &mut out).unwrap();
    for _ in 0..3 {
        writer.samples(&samples, &mut out).unwrap();
    }
    writer.finish(&Totals::default(), &mut out).unwrap();
    assert!(read(&out, None, 100).unwrap_err().why.starts_with("holds counters, and no I/Os"));
    let mut source = Source::new(&out, true, None).unwrap();
    let taken: usize =
        out.chunks(100).map(|piece| source.feed(piece).map(|()| source.take_samples().len()).unwrap()).sum();
    assert_eq!(taken, 180_000);
}
