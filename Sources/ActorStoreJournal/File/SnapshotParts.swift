#if Journal
    import Foundation

    /// A snapshot on its way to the file, a piece at a time, so that no transaction takes long: a plain value.
    struct SnapshotParts: Sendable {
        /// How many bytes a piece has at most.
        static let size = 1 << 18

        struct Part: Sendable, Equatable {
            let number: Int
            let payload: Data
            let isLast: Bool
        }

        let record: JournalRecord
        /// The number of the next piece.
        private var number = 0

        init(_ record: JournalRecord) { self.record = record }

        /// The next piece; an empty payload has an empty one.
        var next: Part {
            let start = record.payload.startIndex + number * Self.size
            let end = min(start + Self.size, record.payload.endIndex)
            return Part(
                number: number,
                payload: record.payload[start..<end],
                isLast: end == record.payload.endIndex
            )
        }

        /// Goes on, because the piece has been written.
        mutating func advance() { number += 1 }
    }
#endif
