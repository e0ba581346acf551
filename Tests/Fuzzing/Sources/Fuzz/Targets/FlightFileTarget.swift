@testable import FlightReading

/// The reader of comma-separated values against a second one, letter by letter, and the reader of flights based on it.
enum FlightFileTarget {
    static func run(_ bytes: inout Bytes) {
        let hasHeader = bytes.isTrue()
        let content = (hasHeader ? header : []) + bytes.remaining()
        compare(content)
        do throws(FlightFileError) {
            _ = try FlightFile(InputFile(path: "flights.csv", bytes: content))
        } catch {
            demand(isPrintable(error.explanation), "An explanation cannot be printed: \(error.explanation)")
        }
    }

    private static let header = Array(
        """
        dep_time,sched_dep_time,dep_delay,sched_arr_time,arr_delay,carrier,origin,air_time,minute,time_hour

        """.utf8
    )

    static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    private static func compare(_ content: [UInt8]) {
        var model = PlainCSV(content)
        do throws(CSVError) {
            var reader = try CSVReader(content)
            demand(model.isUTF8, "What is not UTF-8 was accepted.")
            while try reader.advance() {
                let record = model.next()
                let fields = (0..<reader.fieldCount).map { Array(reader[field: $0]) }
                demand(record?.fields == fields, "A record is \(fields), and not \(String(describing: record)).")
                demand(record?.line == reader.recordLine, "A record's line is wrong.")
            }
            demand(model.next() == nil && model.error == nil, "A record is missing, or a mistake was not seen.")
        } catch {
            if case .notUTF8 = error { return demand(!model.isUTF8, "What is UTF-8 was not accepted.") }
            demand(model.next() == nil && model.error == error, "\(error), and not \(String(describing: model.error)).")
        }
    }
}

/// A second reader of comma-separated values, as simple as possible.
private struct PlainCSV {
    struct Record {
        let line: Int
        let fields: [[UInt8]]
    }

    let isUTF8: Bool
    private(set) var error: CSVError?
    /// The letters, with each kind of line end as one line feed, and their form in the file.
    private var letters: ArraySlice<(letter: UInt8, bytes: [UInt8])>
    private var line = 1

    init(_ content: [UInt8]) {
        isUTF8 = String(validating: content, as: UTF8.self) != nil
        let text = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...]
        var letters: [(letter: UInt8, bytes: [UInt8])] = []
        for byte in text {
            if byte == .lineFeed, letters.last?.bytes == [.carriageReturn] {
                letters[letters.count - 1].bytes.append(byte)
            } else {
                letters.append((byte == .carriageReturn ? .lineFeed : byte, [byte]))
            }
        }
        self.letters = letters[...]
    }

    mutating func next() -> Record? {
        while letters.first?.letter == .lineFeed { skip() }
        guard !letters.isEmpty, error == nil else { return nil }
        let start = line
        var fields: [[UInt8]] = []
        repeat {
            guard let field = letters.first?.letter == .quote ? quoted() : plain() else { return nil }
            fields.append(field)
        } while skip(if: .comma)
        _ = skip(if: .lineFeed)
        return Record(line: start, fields: fields)
    }

    private mutating func plain() -> [UInt8]? {
        var field: [UInt8] = []
        while let (letter, bytes) = letters.first, letter != .comma, letter != .lineFeed {
            if letter == .quote {
                error = .quoteInsideField(line: line)
                return nil
            }
            field += bytes
            skip()
        }
        return field
    }

    private mutating func quoted() -> [UInt8]? {
        let start = line
        var field: [UInt8] = []
        skip()
        while let (letter, bytes) = letters.first {
            skip()
            if letter != .quote {
                field += bytes
            } else if skip(if: .quote) {
                field.append(.quote)
            } else if let next = letters.first?.letter, next != .comma, next != .lineFeed {
                error = .textAfterQuote(line: line)
                return nil
            } else {
                return field
            }
        }
        error = .unterminatedQuote(line: start)
        return nil
    }

    private mutating func skip() {
        if letters.popFirst()?.letter == .lineFeed { line += 1 }
    }

    private mutating func skip(if letter: UInt8) -> Bool {
        guard letters.first?.letter == letter else { return false }
        skip()
        return true
    }
}
