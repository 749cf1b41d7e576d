//! Tables of separated values.

use crate::text::words;

/// Most cells of a table that are read; beyond them it is malformed.
const MOST_CELLS: usize = 1_000_000;

/// A table with a head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads separated values with quotation marks as in RFC 4180. Rows may have
    /// any number of cells; bytes that are not UTF-8 become `U+FFFD`; blanks
    /// around a cell are gone.
    pub(super) fn read(bytes: &[u8], separator: u8) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator)
            .from_reader(bytes);
        let mut rows = Vec::new();
        let mut cells = 0;
        for record in reader.byte_records() {
            let record = record.map_err(|error| format!("it is no table: {error}"))?;
            cells += record.len();
            if cells > MOST_CELLS {
                return Err(format!("it has more than {MOST_CELLS} cells"));
            }
            let cell = |cell: &[u8]| String::from_utf8_lossy(cell).trim().to_owned();
            rows.push(record.iter().map(cell).collect::<Vec<String>>());
        }
        if rows.is_empty() {
            return Err("it is empty".to_owned());
        }
        let header = rows.remove(0);
        Ok(Self { header, rows })
    }

    /// Cells of the head.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Rows below the head.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The column whose head has these words, whatever their case and
    /// punctuation: "Total hours" is `total_hours`.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header
            .iter()
            .position(|cell| words(cell).eq(words(name)))
    }

    /// A cell by the index of its row and the name of its [column](Self::column).
    pub fn cell(&self, row: usize, column: &str) -> Option<&str> {
        let column = self.column(column)?;
        self.rows.get(row)?.get(column).map(String::as_str)
    }

    /// All cells of a [column](Self::column); empty where a row has none.
    pub fn values<'t>(&'t self, column: &str) -> impl Iterator<Item = &'t str> {
        let column = self.column(column);
        let cell = move |row: &'t Vec<String>| row.get(column?).map(String::as_str);
        let rows = if column.is_some() {
            &self.rows[..]
        } else {
            &[]
        };
        rows.iter().map(move |row| cell(row).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_the_words_of_their_head() {
        let table = Table::read(
            b"\xef\xbb\xbfName;Total hours\r\n\"Ada; \"\"L\"\"\"; 3 \r\nBob\r\n\xff;4;5\n",
            b';',
        )
        .unwrap();
        assert_eq!(table.header(), ["Name", "Total hours"]);
        assert_eq!(table.cell(0, "name"), Some("Ada; \"L\""));
        assert_eq!(table.cell(0, "total_hours"), Some("3"));
        assert_eq!(table.cell(1, "Total hours"), None);
        assert!(table.values("TOTAL HOURS").eq(["3", "", "4"]));
        assert_eq!(table.values("nothing").count(), 0);
        assert_eq!(table.rows()[2], ["\u{fffd}", "4", "5"]);
    }

    #[test]
    fn what_is_no_table_says_why() {
        assert_eq!(Table::read(b"", b',').unwrap_err(), "it is empty");
        let bomb = vec![b','; MOST_CELLS + 1];
        assert!(Table::read(&bomb, b',').unwrap_err().contains("more than"));
        // An open quotation mark takes the rest, and breaks nothing.
        assert_eq!(Table::read(b"a,b\n\"c,d\n", b',').unwrap().rows().len(), 1);
    }
}
