import Foundation

/// What the header of an entry says; JSON, with what is nil left out.
struct EntryHeader: Codable, Sendable, Equatable {
    /// What an entry is for. A program that meets one that it does not know cannot go on, because it might have to do
    /// something.
    enum Kind: String, Codable {
        /// An action, which is in the payload.
        case action
        /// A store has begun to write, or to hold the lease of effects; what was sent under an earlier lease, or for an
        /// older reducer than one that is named here, is passed over from here on. One that names neither changes
        /// nothing: whoever has appended it waits for its acknowledgement.
        case opening
        /// The digest of the state at a revision, for all who have reduced as much.
        case digest
    }

    var kind: Kind
    /// The version of the schema that the action was written in, or that the state of a digest was of.
    var schema: Int?
    /// The version of the reducer that the action was meant for.
    var reducer: Int?
    /// Names the action, which is reduced once, however often there is one of that name.
    var id: String?
    /// The revision of the state that the action is meant for; it is passed over at another one.
    var expected: UInt64?
    /// The token of the lease of effects that the action was sent under.
    var lease: UInt64?
    /// What a digest is of.
    var revision: UInt64?
    /// The digest.
    var digest: StateDigest?

    init(_ kind: Kind) { self.kind = kind }

    /// That of an action about which there is nothing special.
    init(schema: Int, reducer: Int) {
        kind = .action
        self.schema = schema
        self.reducer = reducer
    }

    /// That of a digest of a state.
    init(of digest: StateDigest, at revision: UInt64, schema: Int) {
        self.init(.digest)
        self.revision = revision
        self.digest = digest
        self.schema = schema
    }

    /// Whether it is a digest of states of this version of the schema: those of another one are encoded otherwise. Digests
    /// without a version are of the first.
    func isDigest(ofSchema version: Int) -> Bool { kind == .digest && schema ?? 1 == version }

    /// Its text. Most headers of a store are the same, so that whoever makes many keeps that of the last one.
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

/// Reads headers. Those of a log are mostly the same as the one before.
struct EntryHeaderReader {
    private var last: (text: String, header: EntryHeader)?

    /// The header of an entry.
    ///
    /// - Throws: ``ActionLogError/Code/unknownFormat`` if it is none that this program knows.
    mutating func read(_ entry: ActionLogEntry, at position: UInt64, in log: String) throws(ActionLogError)
        -> EntryHeader
    {
        if let last, last.text == entry.header { return last.header }
        do {
            let header = try JSONDecoder().decode(EntryHeader.self, from: Data(entry.header.utf8))
            last = (entry.header, header)
            return header
        } catch {
            throw ActionLogError(
                .unknownFormat,
                in: log,
                at: position,
                """
                The entry is of no kind that this program knows, which a newer one has written, or something else than \
                this library. Update this program, or delete the entry if it does not belong there.
                """
            )
        }
    }
}
