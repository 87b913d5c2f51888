//! Keys of every format, whole, in chunks and damaged.

use std::io::{self, Read};

use clockwise::hash::SplitMix64;
use clockwise_fuzz::Campaign;

use super::*;

const METADUMP: &[u8] = include_bytes!("../../tests/data/memcached-metadump.txt");
const SCAN: &[u8] = include_bytes!("../../tests/data/redis-scan.txt");
const SCAN_NO_RAW: &[u8] = include_bytes!("../../tests/data/redis-scan-no-raw.txt");

fn options() -> KeyOptions {
    KeyOptions::default()
}

fn format(format: KeyFormat) -> KeyOptions {
    KeyOptions { format: Some(format), ..options() }
}

fn ending(line_ending: LineEnding) -> KeyOptions {
    KeyOptions { line_ending: Some(line_ending), ..options() }
}

fn read(file: impl AsRef<[u8]>, options: KeyOptions) -> Result<KeySet, Error> {
    KeySet::read(&mut KeyReader::new("keys.txt", file.as_ref(), options)?)
}

/// Lines of 64 KiB without end.
struct Cycle(u16);

impl Read for Cycle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = if self.0 == u16::MAX { b'\n' } else { b'x' };
            self.0 = self.0.wrapping_add(1);
        }
        Ok(buffer.len())
    }
}

#[track_caller]
fn assert_keys<K: AsRef<[u8]>>(file: impl AsRef<[u8]>, options: KeyOptions, expected: &[K]) {
    let set = read(file, options).unwrap();
    let keys: Vec<&[u8]> = set.iter().map(|record| record.key).collect();
    let expected: Vec<&[u8]> = expected.iter().map(AsRef::as_ref).collect();
    assert_eq!(keys, expected);
}

#[track_caller]
fn assert_refused(file: impl AsRef<[u8]>, options: KeyOptions, message: &str) -> Error {
    let error = read(file, options).unwrap_err();
    assert_eq!(error.to_string(), message);
    error
}

/// Gives one byte at a time, and fails where it is told to.
struct Drip<'a>(&'a [u8], Option<io::Error>);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.0.split_first(), buffer.first_mut()) {
            (Some((&byte, rest)), Some(slot)) => {
                *slot = byte;
                self.0 = rest;
                Ok(1)
            }
            _ => self.1.take().map_or(Ok(0), Err),
        }
    }
}

/// Gives so many bytes at a time.
struct Sips<'a>(&'a [u8], usize);

impl Read for Sips<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

mod lines {
    use super::*;

    #[test]
    fn nothing_is_trimmed() {
        let file = b" user:1\nuser:2 \n\tx\t\n\xff\nk\0v\ncaf\xc3\xa9\ncafe\xcc\x81\n#1\n";
        let keys: &[&[u8]] =
            &[b" user:1", b"user:2 ", b"\tx\t", b"\xff", b"k\0v", b"caf\xc3\xa9", b"cafe\xcc\x81", b"#1"];
        assert_keys(file, options(), keys);
    }

    #[test]
    fn an_empty_line_is_the_empty_key_and_an_empty_file_has_none() {
        assert_keys("a\n\nb\n", options(), &["a", "", "b"]);
        assert_keys("\n", options(), &[""]);
        assert_keys("", options(), &[] as &[&str]);
    }

    #[test]
    fn the_last_line_needs_no_ending() {
        assert_keys("a\nb", options(), &["a", "b"]);
        assert_keys("a\r\nb", options(), &["a", "b"]);
        assert_keys("a", options(), &["a"]);
    }

    #[test]
    fn windows_line_endings_are_no_part_of_keys() {
        assert_keys("user:1\r\nuser:2\r\n\r\n", options(), &["user:1", "user:2", ""]);
        // Only the last CR is.
        assert_keys("a\r\r\nb\r\n", options(), &["a\r", "b"]);
    }

    #[test]
    fn a_cr_that_may_be_data_is_refused_until_the_ending_is_stated() {
        let error = assert_refused(
            "a\nb\r\n",
            options(),
            "keys.txt, line 2: ends in CR LF, and the first line in LF alone: state the line ending, lf (the CR is part of the key) or crlf",
        );
        assert!(error.is_ambiguous() && error.line() == Some(2));
        assert_refused(
            "a\r\nb\r\nc\n",
            options(),
            "keys.txt, line 3: ends in LF alone, and the first line in CR LF: state the line ending, lf or crlf",
        );
        assert_refused(
            "a\nb\r",
            options(),
            "keys.txt, line 2: the file ends in CR without LF: state the line ending, lf (the CR is part of the key) or crlf",
        );
        assert!(read("a\r", options()).unwrap_err().is_ambiguous());

        assert_keys("a\nb\r\nc\r", ending(LineEnding::Lf), &["a", "b\r", "c\r"]);
        assert_keys("a\r\nb\r\n", ending(LineEnding::Lf), &["a\r", "b\r"]);
        assert_keys("a\r\nb\r\nc", ending(LineEnding::CrLf), &["a", "b", "c"]);
        let message = "keys.txt, line 2: does not end in CR LF, the line ending that was stated";
        assert_refused("a\r\nb\n", ending(LineEnding::CrLf), message);
        assert_refused("a\r\nb\r", ending(LineEnding::CrLf), message);
    }

    #[test]
    fn a_byte_order_mark_is_not_guessed_about() {
        let error = assert_refused(
            b"\xef\xbb\xbfuser:1\n",
            options(),
            "keys.txt, line 1: starts with a byte order mark (EF BB BF): take it out, or state the format lines to have it in the first key",
        );
        assert!(error.is_ambiguous());
        assert_keys(b"\xef\xbb\xbfa\n", format(KeyFormat::Lines), &[b"\xef\xbb\xbfa"]);
    }

    #[test]
    fn long_keys_are_whole() {
        for length in [250, 251, 65_535, 65_536, 1 << 20] {
            let key = "k".repeat(length);
            assert_keys(format!("{key}\n{key}\r\n"), ending(LineEnding::Lf), &[&key, &format!("{key}\r")]);
            assert_keys(format!("key,requests\n{key},1\n"), options(), &[&key]);
        }
    }

    #[test]
    fn what_has_no_lines_does_not_fill_the_memory() {
        let mut endless = KeyReader::new("/dev/zero", io::repeat(0), options()).err().unwrap();
        assert_eq!(
            endless.to_string(),
            "/dev/zero, line 1: a record longer than 67108864 bytes: is this a list of keys?"
        );
        let file = "key\n\"".as_bytes().chain(Cycle(0));
        endless = KeySet::read(&mut KeyReader::new("endless.csv", file, options()).unwrap()).unwrap_err();
        assert_eq!(
            endless.to_string(),
            "endless.csv, line 2: a record longer than 67108864 bytes: is this a list of keys?"
        );
    }

    #[test]
    fn records_come_as_the_input_does() {
        // Were the input read ahead whole, the failure at its end would come first.
        let failing = Drip(b"a\nb\nc", Some(io::Error::other("connection lost")));
        let mut keys = KeyReader::new("standard input", failing, options()).unwrap();
        assert_eq!(keys.read().unwrap().unwrap().key, b"a");
        assert_eq!(keys.read().unwrap().unwrap().key, b"b");
        let error = keys.read().unwrap_err();
        assert_eq!(error.to_string(), "standard input, line 3: connection lost");
        assert!(error.is_io());
    }

    /// What `read_many` gives, batch by batch, until the end or a failure.
    fn batches(input: impl Read, most: usize) -> (Vec<Vec<String>>, Option<Error>) {
        let mut keys = KeyReader::new("standard input", input, options()).unwrap();
        let mut batch = KeySet::default();
        let mut all = Vec::new();
        loop {
            batch.clear();
            let read = keys.read_many(most, &mut batch);
            if !batch.is_empty() {
                all.push(
                    batch.iter().map(|record| String::from_utf8(record.key.to_vec()).unwrap()).collect(),
                );
            }
            match read {
                Ok(true) => {}
                Ok(false) => return (all, None),
                Err(error) => return (all, Some(error)),
            }
        }
    }

    #[test]
    fn a_batch_is_what_has_arrived() {
        let (whole, error) = batches("a\nb\nc\nd\ne".as_bytes(), 3);
        assert_eq!(
            (whole, error.is_none()),
            (vec![strings(&["a", "b", "c"]), strings(&["d"]), strings(&["e"])], true)
        );
        // A byte at a time: nobody waits for a second key before the first is answered.
        let (single, error) = batches(Drip(b"a\nb\nc", Some(io::Error::other("connection lost"))), 3);
        assert_eq!(single, [["a"], ["b"]]);
        assert_eq!(error.unwrap().to_string(), "standard input, line 3: connection lost");
        // Two reads, the second in the middle of a key.
        let (parts, _) = batches("a\nb\nc".as_bytes().chain("c\nd\n".as_bytes()), 3);
        assert_eq!(parts, [strings(&["a", "b"]), strings(&["cc", "d"])]);
    }

    /// Many lines at once, in pieces of any length, against one at a time: the same keys, and the same refusal.
    #[test]
    fn batches_hold_what_single_lines_hold() {
        let mut random = 0x5eed_u64;
        let mut below = |end: usize| {
            random = random.wrapping_add(SplitMix64::STEP);
            SplitMix64::mix(random) as usize % end
        };
        let mut refused = 0;
        for round in 0..600 {
            let pieces: &[&str] =
                [&["a", "bc", "\n", "\n"][..], &["a", "\n", "\r\n", "\r"], &["key", "\r\n"]][round % 3];
            let text: String = (0..below(40)).map(|_| pieces[below(pieces.len())]).collect();
            let line_ending = [None, Some(LineEnding::Lf), Some(LineEnding::CrLf)][below(3)];
            let options = KeyOptions { line_ending, ..options() };
            let most = 1 + below(9);
            let mut one = KeyReader::new("f", Sips(text.as_bytes(), 1 + below(9)), options).unwrap();
            let mut expected = KeySet::default();
            let error = loop {
                match one.read() {
                    Ok(Some(record)) => expected.push(record),
                    Ok(None) => break None,
                    Err(error) => break Some(error.to_string()),
                }
            };
            let mut many = KeyReader::new("f", Sips(text.as_bytes(), 1 + below(9)), options).unwrap();
            let mut found = KeySet::default();
            let mut batch = KeySet::default();
            let stopped = loop {
                batch.clear();
                let read = many.read_many(most, &mut batch);
                assert!(batch.len() <= most, "{text:?}");
                batch.iter().for_each(|record| found.push(record));
                match read {
                    Ok(true) => {}
                    Ok(false) => break None,
                    Err(error) => break Some(error.to_string()),
                }
            };
            refused += usize::from(error.is_some());
            assert_eq!((found, stopped), (expected, error), "{text:?}, {line_ending:?}, {most} at most");
        }
        assert!((100..500).contains(&refused), "{refused} of 600 were refused");
    }

    #[test]
    fn what_stands_before_a_bad_line_is_in_its_batch() {
        let (all, error) = batches("a\nb\nc\r\nd\n".as_bytes(), 10);
        assert_eq!(all, [strings(&["a", "b"])]);
        assert_eq!(error.unwrap().line(), Some(3));
    }

    /// Against splitting the whole text, in reads of every size around the lines'.
    #[test]
    fn lines_are_cut_alike_however_they_come() {
        const SEED: u64 = 0xc07;
        let mut state = SEED;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let lines: Vec<String> = (0..200).map(|i| format!("{i}{}", "x".repeat(below(40) as usize))).collect();
        let text = lines.join("\n");
        for size in 1..100 {
            let (all, error) = batches(Sips(text.as_bytes(), size), 7);
            assert!(error.is_none() && all.concat() == lines, "reads of {size} bytes, seed {SEED}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = KeyReader::open("/no/such/keys", options()).err().unwrap();
        assert!(error.is_io() && error.to_string().starts_with("/no/such/keys: "), "{error}");
    }
}

mod csv_files {
    use super::*;

    #[test]
    fn columns_are_found_by_their_exact_names() {
        let file = "bytes,zone,key,requests\n10,eu,user:1,3\n0,\"a,b\",,18446744073709551612\n";
        let set = read(file, options()).unwrap();
        assert!(set.has_requests() && set.has_bytes());
        assert_eq!(
            set.iter().collect::<Vec<_>>(),
            [
                Record { key: b"user:1", tally: Tally { keys: 1, requests: 3, bytes: 10 } },
                Record { key: b"", tally: Tally { keys: 1, requests: 18_446_744_073_709_551_612, bytes: 0 } },
            ]
        );
    }

    #[test]
    fn a_column_that_is_missing_is_known_to_be() {
        let mut keys = KeyReader::new("k", "key\na\n".as_bytes(), options()).unwrap();
        assert_eq!(keys.format(), KeyFormat::Csv);
        assert!(!keys.has_requests() && !keys.has_bytes());
        assert_eq!(keys.read().unwrap(), Some(Record { key: b"a", tally: Tally::KEY }));
        assert_eq!(keys.read().unwrap(), None);
        assert_eq!(keys.read().unwrap(), None, "the end stays the end");
    }

    #[test]
    fn quotes_carry_any_byte() {
        let file = b"key,requests\r\n\"a,b\",1\r\n\"say \"\"hi\"\"\",2\r\n\"two\r\nlines\n\",3\r\n\"\",4\r\n\"\xff\0\",5\r\nc\"d,6";
        let keys: &[&[u8]] = &[b"a,b", b"say \"hi\"", b"two\r\nlines\n", b"", b"\xff\0", b"c\"d"];
        assert_keys(file, options(), keys);
    }

    #[test]
    fn empty_lines_are_no_rows() {
        assert_keys("key\n\na\n\r\nb\n\n", options(), &["a", "b"]);
    }

    #[test]
    fn a_byte_order_mark_before_the_header_is_dropped() {
        assert_keys(b"\xef\xbb\xbfkey,requests\na,1\n", options(), &["a"]);
        assert_keys(b"\xef\xbb\xbf\"key\"\n\xef\xbb\xbfa\n", options(), &[b"\xef\xbb\xbfa"]);
    }

    #[test]
    fn a_count_that_is_none_is_refused_with_its_line() {
        for value in ["-3", "+3", "", " 3", "3 ", "1.5", "1e6", "0x10", "18446744073709551616", "many"] {
            assert_refused(
                format!("key,requests\na,1\n\"b\nb\",{value}\n"),
                options(),
                &format!(
                    "keys.txt, line 3: requests {value:?} is not a whole number from 0 to 18446744073709551615"
                ),
            );
        }
        assert_refused(
            "key,bytes\na,-1\n",
            options(),
            "keys.txt, line 2: bytes \"-1\" is not a whole number from 0 to 18446744073709551615",
        );
        assert_refused(
            "key,requests\na,18446744073709551615\nb,1\n",
            options(),
            "keys.txt, line 3: requests 1 brings the file's total above 18446744073709551615",
        );
    }

    #[test]
    fn broken_rows_are_refused_with_their_line() {
        assert_refused(
            "key,requests\na,b,3\n",
            options(),
            "keys.txt, line 2: 3 fields, and the header has 2: a comma in a key needs quotes",
        );
        assert_refused(
            "key,requests\na\n",
            options(),
            "keys.txt, line 2: 1 field, and the header has 2: a comma in a key needs quotes",
        );
        assert_refused(
            "key,requests\na,1\n\"b,2\nc,3\n",
            options(),
            "keys.txt, line 3: a quote is opened here and never closed",
        );
        assert_refused("key\n\"", options(), "keys.txt, line 2: a quote is opened here and never closed");
        assert_refused(
            "key,requests\n\"a\"b,1\n",
            options(),
            "keys.txt, line 2: \"b,1\" follows a closing quote: a quote inside a quoted field is written twice",
        );
    }

    #[test]
    fn headers_that_are_none_are_refused() {
        assert_refused(
            "name,requests\na,1\n",
            format(KeyFormat::Csv),
            "keys.txt, line 1: the CSV header \"name,requests\" has no column named key",
        );
        assert_refused("", format(KeyFormat::Csv), "keys.txt, line 1: no CSV header: the file is empty");
        assert_refused(
            "key,key\na,b\n",
            options(),
            "keys.txt, line 1: the CSV header has the column key twice",
        );
        for nearly in ["Key,requests", "key ,requests", "requests, key", "\"KEY\",bytes"] {
            let error = read(format!("{nearly}\na,1\n"), options()).unwrap_err();
            assert!(error.is_ambiguous(), "{error}");
            assert_keys(format!("{nearly}\n"), format(KeyFormat::Lines), &[nearly]);
        }
        assert_keys("monkey,1\n", options(), &["monkey,1"]);
    }

    #[test]
    fn a_file_that_is_called_csv_has_a_key_column_or_no_columns() {
        let read = |name: &str, text: &'static str, options| {
            KeySet::read(&mut KeyReader::new(name, text.as_bytes(), options)?)
        };
        for text in ["url,requests\na,1\n", "key;requests\na;1\n", "url\trequests\na\t1\n"] {
            for name in ["popular.csv", "POPULAR.CSV"] {
                let error = read(name, text, options()).unwrap_err();
                assert!(error.is_ambiguous() && error.to_string().starts_with(name), "{error}");
            }
            for name in ["keys.txt", "csv", "é.csx", ".csv.gz"] {
                assert_eq!(read(name, text, options()).unwrap().len(), 2, "{name}");
            }
            assert_eq!(read("popular.csv", text, format(KeyFormat::Lines)).unwrap().len(), 2);
        }
        assert_eq!(read("popular.csv", "a\nb\n", options()).unwrap().len(), 2);
        assert_eq!(read("popular.csv", "key,requests\na,1\n", options()).unwrap().len(), 1);
    }

    /// The csv crate is the oracle: whatever it writes, we read as it does.
    #[test]
    fn well_formed_files_read_as_the_csv_crate_reads_them() {
        const SEED: u64 = 7;
        let mut state = SEED;
        let mut below = |bound: u64| {
            state =
                u64::from_str_radix(std::str::from_utf8(&seeded_key(state, 0)[4..]).unwrap(), 16).unwrap();
            state % bound
        };
        for case in 0..400 {
            let columns = 1 + below(4) as usize;
            let crlf = below(2) == 1;
            let mut writer = csv::WriterBuilder::new()
                .terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') })
                .quote_style(if below(3) == 0 { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary })
                .from_writer(Vec::new());
            let at = below(columns as u64) as usize;
            let header: Vec<String> =
                (0..columns).map(|i| if i == at { "key".into() } else { format!("c{i}") }).collect();
            writer.write_record(&header).unwrap();
            for _ in 0..below(12) {
                let row: Vec<Vec<u8>> = (0..columns)
                    .map(|_| (0..below(9)).map(|_| b"ab \",\n\r\0\xff\xc3"[below(10) as usize]).collect())
                    .collect();
                writer.write_record(&row).unwrap();
            }
            let file = writer.into_inner().unwrap();
            let theirs: Vec<Vec<u8>> = csv::ReaderBuilder::new()
                .from_reader(&file[..])
                .into_byte_records()
                .map(|row| row.unwrap()[at].to_vec())
                .collect();
            let ours = read(&file, options()).unwrap();
            let ours: Vec<Vec<u8>> = ours.iter().map(|record| record.key.to_vec()).collect();
            assert_eq!(ours, theirs, "seed {SEED}, case {case}: {:?}", String::from_utf8_lossy(&file));
        }
    }
}

mod encodings {
    use super::*;

    fn encoded(format: KeyFormat, encoding: KeyEncoding) -> KeyOptions {
        KeyOptions { format: Some(format), encoding, line_ending: None }
    }

    /// Keys with every awkward byte, in each way that can carry them.
    #[test]
    fn keys_are_bytes() {
        let keys: &[&[u8]] = &[b"", b"\0", b"k\0v", b"k\nv", b"\xff", b"caf\xc3\xa9", b"cafe\xcc\x81"];
        let hex = "\n00\n6b0076\n6b0a76\nff\n636166c3a9\n63616665CC81\n";
        assert_keys(hex, encoded(KeyFormat::Lines, KeyEncoding::Hex), keys);
        assert_keys(hex.replace('\n', "\r\n"), encoded(KeyFormat::Lines, KeyEncoding::Hex), keys);
        let base64 = "\nAA==\nawB2\nawp2\n/w==\nY2Fmw6k=\nY2FmZcyB\n";
        assert_keys(base64, encoded(KeyFormat::Lines, KeyEncoding::Base64), keys);
        let nul = hex.replace('\n', "\0");
        assert_keys(nul, encoded(KeyFormat::Nul, KeyEncoding::Hex), keys);
        let csv = "key,requests\n\"\",0\n00,1\n6b0076,2\n6b0a76,3\nff,4\n636166c3a9,5\n63616665cc81,6\n";
        assert_keys(csv, encoded(KeyFormat::Csv, KeyEncoding::Hex), keys);
    }

    #[test]
    fn what_does_not_decode_is_refused_with_its_value() {
        for (text, encoding, problem) in [
            ("abc", KeyEncoding::Hex, "key \"abc\" is not hexadecimal: 3 characters"),
            ("6b0g", KeyEncoding::Hex, "key \"6b0g\" is not hexadecimal: see character 4"),
            ("6b ", KeyEncoding::Hex, "key \"6b \" is not hexadecimal: 3 characters"),
            ("0x6b", KeyEncoding::Hex, "key \"0x6b\" is not hexadecimal: see character 2"),
            ("AA", KeyEncoding::Base64, "key \"AA\" is not base64: 2 characters"),
            ("A_A=", KeyEncoding::Base64, "key \"A_A=\" is not base64: see character 2"),
            ("AB==", KeyEncoding::Base64, "key \"AB==\" is not base64: its last digit holds bits of no byte"),
            ("A===", KeyEncoding::Base64, "key \"A===\" is not base64: the padding is wrong"),
        ] {
            let good = if encoding == KeyEncoding::Hex { "6b" } else { "AA==" };
            assert_refused(
                format!("{good}\n{text}\n"),
                encoded(KeyFormat::Lines, encoding),
                &format!("keys.txt, line 2: {problem}"),
            );
        }
        assert_refused(
            "6b\0zz\0",
            encoded(KeyFormat::Nul, KeyEncoding::Hex),
            "keys.txt, key 2: key \"zz\" is not hexadecimal: see character 1",
        );
    }

    #[test]
    fn nul_separates_and_a_final_one_is_no_empty_key() {
        let keys: &[&[u8]] = &[b"a\nb\r\n", b"", b"c"];
        assert_keys("a\nb\r\n\0\0c\0", format(KeyFormat::Nul), keys);
        assert_keys("a\nb\r\n\0\0c", format(KeyFormat::Nul), keys);
    }

    #[test]
    fn formats_with_an_encoding_take_no_other() {
        for own in [KeyFormat::Metadump, KeyFormat::Redis] {
            assert_refused(
                "",
                encoded(own, KeyEncoding::Hex),
                &format!("the format {own} has its own encoding of keys, and takes no other"),
            );
        }
    }

    #[test]
    fn names_on_the_command_line() {
        for one in KeyFormat::ALL {
            assert_eq!(one.to_string().parse::<KeyFormat>().unwrap(), *one);
        }
        assert_eq!(
            "HEX".parse::<KeyEncoding>().unwrap_err().to_string(),
            "there is no key encoding \"HEX\"; known: bytes, hex, base64"
        );
    }
}

mod dumps {
    use super::*;

    #[test]
    fn metadump_of_a_real_memcached() {
        let set = read(METADUMP, options()).unwrap();
        assert!(set.has_bytes() && !set.has_requests());
        let long = "k".repeat(250);
        let expected: [(&[u8], u64); 7] = [
            ("café".as_bytes(), 67),
            (b"user:42", 166),
            (long.as_bytes(), 310),
            (b"key=foo", 5066),
            (b"a%20b+c&d=e", 70),
            (b"\xff\xfe", 62),
            (b"a b\nc\0d", 68),
        ];
        let found: Vec<_> = set.iter().map(|record| (record.key, record.tally.bytes)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn metadumps_of_several_servers_are_one_list() {
        let both = [METADUMP, METADUMP].concat();
        assert_eq!(read(both, options()).unwrap().len(), 14);
        assert_eq!(read("END\r\n", format(KeyFormat::Metadump)).unwrap().len(), 0);
    }

    #[test]
    fn what_is_no_metadump_is_refused() {
        let good = "key=a exp=-1 la=1 cas=1 fetch=no cls=1 size=63\n";
        for (line, problem) in [
            (
                "BUSY currently processing crawler request\r\n",
                "\"BUSY currently processing crawler request\" is not a line of memcached's metadump: those begin with key=",
            ),
            ("key=b exp=-1 la=179", "has no size=: the dump is cut short here"),
            ("key=b exp=-1 size=-2\n", "size \"-2\" is not a whole number from 0 to 18446744073709551615"),
            ("key=b%2 exp=-1 size=2\n", "key \"b%2\" is not percent-encoded: \"%2\" is no %XX"),
            ("key=%zz exp=-1 size=2\n", "key \"%zz\" is not percent-encoded: \"%zz\" is no %XX"),
        ] {
            assert_refused(format!("{good}{line}"), options(), &format!("keys.txt, line 2: {problem}"));
        }
    }

    #[test]
    fn quoted_scan_of_a_real_redis() {
        let keys: [&[u8]; 12] = [
            b"",
            b"\xff",
            b"\x1b\x7f~ ",
            b"\0",
            b"tab\tcr\rbell\x07bs\x08",
            b"k\nv",
            b"cafe\xcc\x81",
            b"say \"hi\"",
            b"user:42",
            b"k\0v",
            b"caf\xc3\xa9",
            b"back\\slash",
        ];
        assert_keys(SCAN_NO_RAW, format(KeyFormat::Redis), &keys);
        let error = read(SCAN_NO_RAW, options()).unwrap_err();
        assert!(error.is_ambiguous(), "{error}");
        // Taken as lines, the quotes and backslashes are bytes of the keys.
        let literal = read(SCAN_NO_RAW, format(KeyFormat::Lines)).unwrap();
        assert_eq!(literal.get(9).unwrap().key, b"\"k\\x00v\"");
    }

    #[test]
    fn raw_scan_of_a_real_redis_is_plain_lines() {
        let set = read(SCAN, options()).unwrap();
        // Thirteen of twelve: the key with a line feed came apart, and two lost what followed a NUL.
        assert_eq!(set.len(), 13);
        assert_eq!(set.get(8).unwrap().key, b"say \"hi\"");
        assert_eq!(set.get(4).unwrap().key, b"tab\tcr\rbell\x07bs\x08");
    }

    #[test]
    fn what_redis_would_not_print_is_refused() {
        for (line, problem) in [
            ("b", "it does not stand in quotes"),
            ("\"", "it does not stand in quotes"),
            ("\"a\"b\"", "it has a quote without a backslash"),
            ("\"a\\\"", "\"\" follows a backslash"),
            ("\"\\q\"", "\"q\" follows a backslash"),
            ("\"\\x0\"", "\"x0\" follows a backslash"),
            ("\"\\xzz\"", "\"xzz\" follows a backslash"),
        ] {
            assert_refused(
                format!("\"a\"\n{line}\n"),
                format(KeyFormat::Redis),
                &format!(
                    "keys.txt, line 2: key {line:?} is not a key as redis-cli --no-raw prints it: {problem}"
                ),
            );
        }
    }
}

mod sets {
    use super::*;

    #[test]
    fn seeded_keys_never_change() {
        // Outputs of SplitMix64 from state 0, as published with the reference code.
        assert_eq!(seeded_key(0, 0), *b"key:e220a8397b1dcdaf");
        assert_eq!(seeded_key(0, 1), *b"key:6e789e6aa1b965f4");
        assert_eq!(seeded_key(0, 2), *b"key:06c45d188009454f");
        // From 1234567, another published row.
        assert_eq!(seeded_key(1_234_567, 0), *b"key:599ed017fb08fc85");
        let set = KeySet::seeded(1000, 0);
        assert_eq!((set.len(), set.has_requests(), set.has_bytes()), (1000, false, false));
        assert_eq!(set.get(2), Some(Record { key: b"key:06c45d188009454f", tally: Tally::KEY }));
        assert_eq!(set.get(1000), None);
    }

    #[test]
    fn seeded_keys_are_distinct() {
        let mut keys: Vec<_> = (0..100_000).map(|index| seeded_key(3, index)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 100_000);
    }
}

#[test]
fn chunks_do_not_matter() {
    let files: [(&[u8], KeyOptions); 5] = [
        (METADUMP, options()),
        (SCAN_NO_RAW, format(KeyFormat::Redis)),
        (SCAN, options()),
        (b"key,bytes\r\n\"a\r\n\"\"\",1\r\nb,2", options()),
        (b"a\0\0b", format(KeyFormat::Nul)),
    ];
    for (file, options) in files {
        let dripped =
            KeySet::read(&mut KeyReader::new("keys.txt", Drip(file, None), options).unwrap()).unwrap();
        assert_eq!(dripped, read(file, options).unwrap());
    }
}

/// Good files, changed: an answer or a message that says where, never a panic.
#[test]
fn mutations_of_good_files_are_read_or_refused_by_name() {
    let good: [&[u8]; 6] = [
        METADUMP,
        SCAN_NO_RAW,
        b"key,requests,bytes\r\n\"a,b\",1,2\r\n\"say \"\"hi\"\"\",3,4\r\n",
        b"user:1\nuser:2\n\nuser:3\n",
        b"6b00\n6B0a76\nff",
        b"\xef\xbb\xbfkey,requests\nAA==,1\nY2Fmw6k=,2\n",
    ];
    let words = &["\"", "\\", ",", "\n", "\r", "\r\n", "\0", "%", "=", "x09", " ", "\u{feff}", "k", "E"];
    let corpus = good.map(<[u8]>::to_vec).to_vec();
    let (mut answers, mut refusals) = (0, 0);
    Campaign { name: "keys", corpus, words, seed: 44, rounds: 20_000 }.run(|file, random| {
        let formats = [
            None,
            Some(KeyFormat::Lines),
            Some(KeyFormat::Csv),
            Some(KeyFormat::Nul),
            Some(KeyFormat::Metadump),
            Some(KeyFormat::Redis),
        ];
        let options = KeyOptions {
            format: *random.pick(&formats),
            encoding: *random.pick(KeyEncoding::ALL),
            line_ending: *random.pick(&[None, Some(LineEnding::Lf), Some(LineEnding::CrLf)]),
        };
        match read(file, options) {
            Ok(_) => answers += 1,
            Err(error) => {
                refusals += 1;
                let message = error.to_string();
                assert!(
                    message.starts_with("keys.txt, ") || message.contains("has its own encoding"),
                    "{message}"
                );
                assert!(message.len() < 600, "{message}");
            }
        }
    });
    assert!(answers.min(refusals) * 10 > answers + refusals, "{answers} answers, {refusals} refusals");
}
