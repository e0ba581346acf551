import Foundation

/// A line of an archive, in JSON.
struct ArchiveLine: Codable {
    enum Kind: String, Codable {
        /// The first line.
        case log
        /// The state before the first entry, if that is not the first of all: its account, and its bytes.
        case account
        case state
        case entry
        /// The last line, which tells a whole archive from one that was cut off.
        case end
    }

    static let format = 2

    var kind: Kind
    /// The version of the format, in the first line.
    var format: Int?
    /// The place of an entry in the log that it comes from; in the last line, how many entries there are.
    var position: UInt64?
    var origin: String?
    /// That of an entry, or of a part of a state; of its account, how many parts there are with it.
    var number: UInt64?
    /// The header of an entry or of a snapshot.
    var header: String?
    /// The payload, if it is text.
    var text: String?
    /// The payload otherwise.
    var data: Data?
    /// Of all that comes before it in the line.
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
