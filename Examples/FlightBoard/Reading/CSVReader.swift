/// Reads comma-separated values record by record, from bytes in place.
///
/// RFC 4180 with lenient line ends: LF, CRLF or a lone CR. A field is a range of the file's bytes; only a field with
/// doubled quotes is copied. Blank lines are skipped, and so is a byte order mark at the beginning.
///
/// Invariant: `position` is the first byte that belongs to no record yet, and `line` is its line.
struct CSVReader {
    /// The range of one field's bytes.
    private struct Field {
        var range: Range<Int>
        /// The range is one of `unescaped`, not of `bytes`.
        var isUnescaped: Bool
    }

    /// The end of a field.
    private enum FieldEnd {
        case comma
        case record
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var fields: [Field] = []
    /// The text of this record's fields that had doubled quotes.
    private var unescaped: [UInt8] = []

    /// The line on which the current record begins, counted from 1.
    private(set) var recordLine = 1

    /// Begins before the first record. Throws if the bytes are not UTF-8. O(n), once, so that no field needs checking.
    init(_ bytes: [UInt8]) throws(CSVError) {
        self.bytes = bytes
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw .notUTF8(line: Self.line(at: error.byteOffsets.lowerBound, of: bytes))
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The number of fields of the current record.
    var fieldCount: Int { fields.count }

    /// The bytes of a field of the current record, without its quotes.
    subscript(field index: Int) -> ArraySlice<UInt8> {
        let field = fields[index]
        return field.isUnescaped ? unescaped[field.range] : bytes[field.range]
    }

    /// The text of a field of the current record.
    func text(ofField index: Int) -> String {
        String(decoding: self[field: index], as: UTF8.self)
    }

    /// Moves to the next record; false at the end of the file.
    mutating func advance() throws(CSVError) -> Bool {
        fields.removeAll(keepingCapacity: true)
        unescaped.removeAll(keepingCapacity: true)
        while position < bytes.count, isLineEnd(bytes[position]) { consumeLineEnd() }
        guard position < bytes.count else { return false }
        recordLine = line
        while true {
            let end: FieldEnd
            if position < bytes.count, bytes[position] == .quote {
                end = try readQuotedField()
            } else {
                end = try readPlainField()
            }
            if end == .record { return true }
        }
    }

    private mutating func readPlainField() throws(CSVError) -> FieldEnd {
        let start = position
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .comma || isLineEnd(byte) { break }
            if byte == .quote { throw .quoteInsideField(line: line) }
            index += 1
        }
        position = index
        fields.append(Field(range: start..<index, isUnescaped: false))
        return endField()
    }

    private mutating func readQuotedField() throws(CSVError) -> FieldEnd {
        let openingLine = line
        position += 1
        var start = position
        let unescapedStart = unescaped.count
        var isUnescaped = false
        while position < bytes.count {
            let byte = bytes[position]
            if isLineEnd(byte) {
                consumeLineEnd()
            } else if byte != .quote {
                position += 1
            } else if position + 1 < bytes.count, bytes[position + 1] == .quote {
                // Keep the first quote of the pair and drop the second.
                unescaped.append(contentsOf: bytes[start...position])
                isUnescaped = true
                position += 2
                start = position
            } else {
                return try closeQuotedField(start: start, unescapedStart: isUnescaped ? unescapedStart : nil)
            }
        }
        throw .unterminatedQuote(line: openingLine)
    }

    /// Ends a quoted field at the closing quote, where `position` is.
    private mutating func closeQuotedField(start: Int, unescapedStart: Int?) throws(CSVError) -> FieldEnd {
        if let unescapedStart {
            unescaped.append(contentsOf: bytes[start..<position])
            fields.append(Field(range: unescapedStart..<unescaped.count, isUnescaped: true))
        } else {
            fields.append(Field(range: start..<position, isUnescaped: false))
        }
        position += 1
        if position < bytes.count, bytes[position] != .comma, !isLineEnd(bytes[position]) {
            throw .textAfterQuote(line: line)
        }
        return endField()
    }

    /// Consumes the separator after a field: a comma, a line end, or nothing at the end of the file.
    private mutating func endField() -> FieldEnd {
        guard position < bytes.count else { return .record }
        if bytes[position] == .comma {
            position += 1
            return .comma
        }
        consumeLineEnd()
        return .record
    }

    /// Skips LF, CRLF or CR as one line end.
    private mutating func consumeLineEnd() {
        if bytes[position] == .carriageReturn, position + 1 < bytes.count, bytes[position + 1] == .lineFeed {
            position += 1
        }
        position += 1
        line += 1
    }

    @inline(__always)
    private func isLineEnd(_ byte: UInt8) -> Bool {
        byte == .lineFeed || byte == .carriageReturn
    }

    /// The line of a byte, for a file that cannot be read by fields.
    private static func line(at offset: Int, of bytes: [UInt8]) -> Int {
        var line = 1
        for index in 0..<offset {
            let followsCarriageReturn = index > 0 && bytes[index - 1] == .carriageReturn
            switch bytes[index] {
            case .carriageReturn: line += 1
            case .lineFeed where !followsCarriageReturn: line += 1
            default: break
            }
        }
        return line
    }
}
