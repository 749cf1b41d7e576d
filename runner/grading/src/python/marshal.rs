//! The transcript in the form in which Python reads its own values.
//!
//! Reading JSON is most of what a short grader in Python does. The host reads
//! it many times faster, and Python takes over what is in the format of its
//! module `marshal` almost as fast as it can be copied. What the two could read
//! differently is left to Python: numbers with a fraction, integers beyond 32
//! bits, halves of surrogate pairs, and nesting beyond what the host reads.

use serde_json::Value;

/// The lines of a transcript as a marshalled list; nothing where Python has to
/// read it by itself.
pub(super) fn events(lines: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(lines).ok()?;
    let mut out = Vec::with_capacity(lines.len() + lines.len() / 4);
    let lines = || text.split('\n').filter(|line| !line.trim().is_empty());
    out.push(b'[');
    length(&mut out, lines().count())?;
    for line in lines() {
        value(&mut out, &serde_json::from_str(line).ok()?)?;
    }
    Some(out)
}

fn value(out: &mut Vec<u8>, from: &Value) -> Option<()> {
    match from {
        Value::Null => out.push(b'N'),
        Value::Bool(true) => out.push(b'T'),
        Value::Bool(false) => out.push(b'F'),
        Value::Number(number) => {
            let number = i32::try_from(number.as_i64()?).ok()?;
            out.push(b'i');
            out.extend(number.to_le_bytes());
        }
        Value::String(text) => string(out, text, Kind::Value)?,
        Value::Array(items) => {
            out.push(b'[');
            length(out, items.len())?;
            items.iter().try_for_each(|item| value(out, item))?;
        }
        Value::Object(fields) => {
            out.push(b'{');
            for (name, field) in fields {
                string(out, name, Kind::Key)?;
                value(out, field)?;
            }
            out.push(b'0');
        }
    }
    Some(())
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Interned, as Python does it with the names that it compares them to.
    Key,
    Value,
}

fn string(out: &mut Vec<u8>, text: &str, kind: Kind) -> Option<()> {
    match (text.is_ascii(), u8::try_from(text.len()), kind) {
        (true, Ok(short), Kind::Key) => out.extend([b'Z', short]),
        (true, Ok(short), Kind::Value) => out.extend([b'z', short]),
        (true, Err(_), _) => {
            out.push(b'a');
            length(out, text.len())?;
        }
        (false, ..) => {
            out.push(b'u');
            length(out, text.len())?;
        }
    }
    out.extend(text.as_bytes());
    Some(())
}

fn length(out: &mut Vec<u8>, length: usize) -> Option<()> {
    out.extend(i32::try_from(length).ok()?.to_le_bytes());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let lines = b"{\"k\": [null, true, -1, \"x\", \"\xc3\xa9\"]}\n\n{}\n";
        // marshal.dumps([{"k": [None, True, -1, "x", "\xe9"]}, {}], 4), without
        // its marks for shared objects.
        let expected =
            b"[\x02\0\0\0{Z\x01k[\x05\0\0\0NTi\xff\xff\xff\xffz\x01xu\x02\0\0\0\xc3\xa90{0";
        assert_eq!(events(lines).unwrap(), expected);
        assert_eq!(events(b"").unwrap(), b"[\0\0\0\0");
        let long = format!("{{\"{0}\": \"{0}\"}}", "k".repeat(300));
        let text = events(long.as_bytes()).unwrap();
        assert_eq!(&text[5..11], b"{a\x2c\x01\0\0");
    }

    #[test]
    fn what_could_be_read_differently_is_left_to_python() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        for line in [
            "{\"x\": 1.0}",
            "{\"x\": 1e3}",
            "{\"x\": 2147483648}",
            "{\"x\": \"\\ud800\"}",
            "{\"x\": NaN}",
            "{",
            &deep,
        ] {
            assert_eq!(events(line.as_bytes()), None, "{line}");
        }
        assert_eq!(events(b"{\"x\": \"\xff\"}"), None);
    }
}
