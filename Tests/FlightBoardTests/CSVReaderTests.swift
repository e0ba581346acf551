import Testing

@testable import FlightBoard

@Suite("CSV reader")
struct CSVReaderTests {
    /// A record in the form of the tests.
    struct Record: Equatable {
        let line: Int
        let fields: [String]

        init(_ line: Int, _ fields: String...) {
            self.line = line
            self.fields = fields
        }

        init(_ reader: CSVReader) {
            line = reader.recordLine
            fields = (0..<reader.fieldCount).map { reader.text(ofField: $0) }
        }
    }

    private func records(_ bytes: [UInt8]) throws(CSVError) -> [Record] {
        var reader = try CSVReader(bytes)
        var records: [Record] = []
        while try reader.advance() { records.append(Record(reader)) }
        return records
    }

    private func records(_ text: String) throws(CSVError) -> [Record] {
        try records(Array(text.utf8))
    }

    @Test("Line ends may be LF, CRLF or CR, and the last one may be missing", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(_ end: String) throws {
        let expected = [Record(1, "a", "b"), Record(2, "c", "d")]
        #expect(try records("a,b\(end)c,d\(end)") == expected)
        #expect(try records("a,b\(end)c,d") == expected)
    }

    @Test("An empty file, blank lines alone, and a byte order mark alone contain no record")
    func noRecords() throws {
        #expect(try records("").isEmpty)
        #expect(try records("\n\r\n\n").isEmpty)
        #expect(try records([0xEF, 0xBB, 0xBF]).isEmpty)
    }

    @Test("Blank lines are skipped and counted")
    func blankLines() throws {
        #expect(try records("a\n\n\r\nb\n") == [Record(1, "a"), Record(4, "b")])
    }

    @Test("A byte order mark is not part of the first field")
    func byteOrderMark() throws {
        #expect(try records([0xEF, 0xBB, 0xBF] + Array("a,b".utf8)) == [Record(1, "a", "b")])
        #expect(try records([0xEF, 0xBB, 0xBF] + Array("\"a\",b".utf8)) == [Record(1, "a", "b")])
    }

    @Test("Empty fields are fields, also at the end of a line")
    func emptyFields() throws {
        #expect(try records(",a,\n,\n\"\",\"\"") == [Record(1, "", "a", ""), Record(2, "", ""), Record(3, "", "")])
        #expect(try records("a,") == [Record(1, "a", "")])
    }

    @Test("Quoted fields contain commas and doubled quotes")
    func quotes() throws {
        #expect(try records(#""a,b",c,"d""e""#) == [Record(1, "a,b", "c", "d\"e")])
        #expect(try records(#""""","""x""","y""""z","#) == [Record(1, "\"", "\"x\"", "y\"\"z", "")])
    }

    @Test("A record after embedded line ends has the right line", arguments: ["\n", "\r\n", "\r"])
    func lineAfterEmbeddedLineEnds(_ end: String) throws {
        let text = "a,\"b\(end)\(end)c\"\(end)d,e\(end)"
        #expect(try records(text) == [Record(1, "a", "b\(end)\(end)c"), Record(4, "d", "e")])
    }

    @Test("A doubled quote beside an embedded line end keeps both")
    func doubledQuoteAndLineEnd() throws {
        #expect(try records("\"a\"\"\nb\",c\nd") == [Record(1, "a\"\nb", "c"), Record(3, "d")])
    }

    @Test("An unclosed quote is reported where it opens")
    func unterminatedQuote() {
        #expect(throws: CSVError.unterminatedQuote(line: 3)) { try records("a\nb\nc,\"d\ne\nf") }
        #expect(throws: CSVError.unterminatedQuote(line: 1)) { try records("\"") }
        #expect(throws: CSVError.unterminatedQuote(line: 1)) { try records("\"a\"\"") }
    }

    @Test("A quote inside a plain field is refused")
    func quoteInsideField() {
        #expect(throws: CSVError.quoteInsideField(line: 2)) { try records("a\nb\"c") }
    }

    @Test("Text after a closing quote is refused")
    func textAfterQuote() {
        #expect(throws: CSVError.textAfterQuote(line: 2)) { try records("a\n\"b\"c") }
        #expect(throws: CSVError.textAfterQuote(line: 2)) { try records("\"a\nb\" ,c") }
    }

    @Test("Bytes that are not UTF-8 are refused with their line")
    func notUTF8() {
        #expect(throws: CSVError.notUTF8(line: 1)) { try records([0xFF, 0xFE, 0x61, 0x00]) }
        #expect(throws: CSVError.notUTF8(line: 3)) { try records(Array("a\r\nb\r".utf8) + [0xE9]) }
        #expect(throws: CSVError.notUTF8(line: 2)) { try records(Array("a\n".utf8) + [0xC3]) }
    }

    @Test("Text beyond ASCII is kept")
    func beyondASCII() throws {
        #expect(try records("Zürich,\"成田\"\n") == [Record(1, "Zürich", "成田")])
    }
}
