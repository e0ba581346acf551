import Foundation

/// The header of an entry, encoded as JSON without nil fields.
struct EntryHeader: Codable, Sendable, Equatable {
    /// The kind of an entry. A program that encounters an unknown kind stops, because the entry might require an
    /// action.
    enum Kind: String, Codable {
        /// An action, which is the payload.
        case action
        /// A store has begun to write, or to hold the lease of effects. From here on, actions that were sent under an
        /// earlier lease, or for an older reducer than the one in this header, are skipped. An opening without both
        /// fields changes nothing: its store only awaits its acknowledgement, or it begins or ends a restored log.
        case opening
        /// The digest of the state at a revision, for all stores that have reached it.
        case digest
    }

    var kind: Kind
    /// The version of the schema of the action, or of the state of a digest.
    var schema: Int?
    /// The version of the reducer for which the action was sent.
    var reducer: Int?
    /// The name of the action. An action is reduced once per name.
    var id: String?
    /// The revision at which the action is reduced; at another one, it is skipped.
    var expected: UInt64?
    /// The token of the lease of effects under which the action was sent.
    var lease: UInt64?
    /// The revision of the state of a digest, or of the state to which an opening was appended directly.
    var revision: UInt64?
    /// The digest.
    var digest: StateDigest?
    /// The place of the entry in a restore from an archive; nil for most entries.
    var archive: Archive?

    /// The first or the last entry of a restore from an archive.
    struct Archive: Codable, Sendable, Equatable {
        enum Part: String, Codable {
            case beginning
            /// The archive begins with a state. When its snapshot is finished, the restore deletes the entry.
            case beginningWithState
            /// Everything else is written.
            case end
        }

        /// The origin of the restored entries. Entries that were copied from a log that was restored itself have
        /// another one.
        var origin: String
        var part: Part

        /// Whether an entry with this header is the end of its restore.
        func isEnd(of identity: ActionLogEntry.Identity) -> Bool { part == .end && origin == identity.origin }

        /// Returns an origin for the entries of a restore. Those of replicas contain a point, and those of durable
        /// stores only digits and letters.
        static func makeOrigin() -> String { prefix + String(UInt64.random(in: .min ... .max), radix: 36) }

        /// Whether an origin is that of a restore.
        static func isOrigin(_ origin: String) -> Bool { origin.hasPrefix(prefix) && !origin.contains(".") }

        private static let prefix = "archive:"
    }

    /// The greatest possible token of a lease.
    static var greatestLease: UInt64 { (1 << 63) - 1 }

    init(_ kind: Kind) { self.kind = kind }

    /// Creates the header of a plain action.
    init(schema: Int, reducer: Int) {
        kind = .action
        self.schema = schema
        self.reducer = reducer
    }

    /// Creates the header of a digest of a state.
    init(of digest: StateDigest, at revision: UInt64, schema: Int) {
        self.init(.digest)
        self.revision = revision
        self.digest = digest
        self.schema = schema
    }

    /// Creates the header of the first or the last entry of a restore.
    init(of archive: Archive) {
        self.init(.opening)
        self.archive = archive
    }

    /// Returns whether this is a digest of states of this version of the schema. States of other versions are encoded
    /// differently. Digests without a version are of version 1.
    func isDigest(ofSchema version: Int) -> Bool { kind == .digest && schema ?? 1 == version }

    /// Whether a store begins with this entry. That of a replica has the version of its reducer; that of a durable
    /// store has a revision, and no version. Openings of leases, openings that only await their acknowledgement, and
    /// the first and the last entry of a restore have neither.
    var beginsStore: Bool { kind == .opening && (reducer != nil || revision != nil) }

    /// The revision of the state to which an opening was appended directly; nil for others, and if it is unknown.
    var revisionOfOpening: UInt64? { kind == .opening ? revision : nil }

    /// Returns the header for a state whose revision is smaller than that of the log by an offset. If that is nil, the
    /// revision of the log is unknown, and the action is not reduced.
    func shifted(by offset: Int64?) -> EntryHeader {
        guard offset != 0, let expected else { return self }
        var header = self
        let shifted = offset.map { Int64(clamping: expected).subtractingReportingOverflow($0) }
        if let shifted, !shifted.overflow, shifted.partialValue >= 0 {
            header.expected = UInt64(shifted.partialValue)
        } else {
            header.expected = .max
        }
        return header
    }

    /// The text of the header. Most headers of a store are equal, so callers cache the last text.
    var text: String {
        get throws(ActionLogError) {
            do {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return String(decoding: try encoder.encode(self), as: UTF8.self)
            } catch {
                throw ActionLogError(.unencodable, in: "the header of an action", "\(error)")
            }
        }
    }
}

/// Reads headers. Most headers of a log equal the previous one.
struct EntryHeaderReader {
    private var last: (text: String, header: EntryHeader)?

    /// The error for a token that no engine grants, or a revision that no store reaches.
    private struct Impossible: Error {}

    /// Returns the header of an entry.
    ///
    /// - Throws: ``ActionLogError/Code/unknownFormat`` if this program does not support it.
    mutating func read(_ entry: ActionLogEntry, at position: UInt64, in log: String) throws(ActionLogError)
        -> EntryHeader
    {
        if let last, last.text == entry.header { return last.header }
        do {
            let header = try JSONDecoder().decode(EntryHeader.self, from: Data(entry.header.utf8))
            guard header.lease ?? 0 <= EntryHeader.greatestLease, header.revision ?? 0 < 1 << 62 else {
                throw Impossible()
            }
            last = (entry.header, header)
            return header
        } catch {
            throw ActionLogError(
                .unknownFormat,
                in: log,
                at: position,
                """
                The entry has an unknown header. A newer version of this library, or another program, has written it. \
                Update this program, or delete the entry if it does not belong there.
                """
            )
        }
    }
}
