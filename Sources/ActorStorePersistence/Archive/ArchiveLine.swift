import Foundation

/// A line of an archive, as JSON.
struct ArchiveLine: Codable {
    enum Kind: String, Codable {
        /// The first line.
        case log
        /// The state before the first entry, if older entries were deleted, or behind the entry of its position: its
        /// account, and its bytes.
        case account
        case state
        case entry
        /// The last line, which distinguishes a complete archive from a truncated one.
        case end
    }

    static let format = 3
    /// The versions that can be read. In version 2, there is a state only before the first entry.
    static let readableFormats = 2...3

    var kind: Kind
    /// The version of the format, in the first line.
    var format: Int?
    /// The position of an entry or a state in the original log; in the last line, the number of entries.
    var position: UInt64?
    var origin: String?
    /// The number of an entry, or of a part of a state; in the account of a state, the number of its parts including
    /// the account; in the last line, the number of states.
    var number: UInt64?
    /// The header of an entry or of a snapshot.
    var header: String?
    /// The payload, if it is text.
    var text: String?
    /// The payload if it is not text.
    var data: Data?
    /// The checksum of all other fields of the line.
    var checksum: UInt64?

    init(_ kind: Kind) { self.kind = kind }

    /// The payload.
    var payload: Data {
        get { data ?? Data((text ?? "").utf8) }
        set {
            text = String(validating: newValue, as: UTF8.self)
            data = text == nil ? newValue : nil
        }
    }
}

extension ArchiveLine {
    init(_ entry: ActionLogEntry, at position: UInt64) {
        self.init(.entry)
        self.position = position
        origin = entry.identity.origin
        number = entry.identity.number
        header = entry.header
        payload = entry.payload
        checksum = digest
    }

    /// The checksum of all other fields of the line, each preceded by its length.
    var digest: UInt64 {
        var hash = FowlerNollVoHash()
        func add(_ bytes: some Collection<UInt8>) {
            hash.add(withUnsafeBytes(of: UInt64(bytes.count).littleEndian, Array.init))
            hash.add(bytes)
        }
        add(kind.rawValue.utf8)
        add("\(position ?? 0) \(number ?? 0)".utf8)
        add((origin ?? "").utf8)
        add((header ?? "").utf8)
        add(payload)
        return hash.value
    }
}
