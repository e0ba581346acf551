#if Replication
    /// A place in a stream: the id that the server gave an entry. Later entries have higher ones.
    public struct StreamPosition: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
        /// The server's time in milliseconds since 1970.
        public let milliseconds: UInt64
        /// Tells those of one millisecond apart.
        public let sequence: UInt64

        /// Before the first entry.
        public static let zero = StreamPosition(milliseconds: 0, sequence: 0)

        init(milliseconds: UInt64, sequence: UInt64) {
            self.milliseconds = milliseconds
            self.sequence = sequence
        }

        /// The one that a text as Redis writes it stands for.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let milliseconds = UInt64(parts[0]), let sequence = UInt64(parts[1]) else {
                return nil
            }
            self.init(milliseconds: milliseconds, sequence: sequence)
        }

        /// As Redis writes it.
        public var description: String { "\(milliseconds)-\(sequence)" }

        /// Whether one comes before the other.
        public static func < (left: StreamPosition, right: StreamPosition) -> Bool {
            (left.milliseconds, left.sequence) < (right.milliseconds, right.sequence)
        }
    }
#endif
