public import Foundation

/// Something that is to be appended to an ``ActionLog``: an action, as a rule.
///
/// A log looks only at the ``identity``. What the header and the payload say is a matter of the stores above it.
public struct ActionLogEntry: Sendable, Equatable {
    /// Names the entry among all that there ever are in the log.
    public let identity: Identity
    /// What the entry is, as text that the shell of an engine can show.
    public let header: String
    /// The bytes of the action; empty for entries that have none.
    public let payload: Data

    /// Creates an entry.
    public init(_ identity: Identity, header: String, payload: Data) {
        self.identity = identity
        self.header = header
        self.payload = payload
    }

    /// How many bytes of it there are.
    public var size: Int { header.utf8.count + payload.count }

    /// Who has appended an entry, and which of its entries it is.
    ///
    /// Entries are known by this and not by their position: a server that has lost the end of a log gives a position a
    /// second time.
    public struct Identity: Sendable, Hashable, Codable {
        /// One life of one store.
        public let origin: String
        /// The number among the entries of its origin, from 1 on, without gaps.
        public let number: UInt64

        /// Creates an identity.
        public init(origin: String, number: UInt64) {
            self.origin = origin
            self.number = number
        }
    }
}

/// A place in a log, with what is there.
public struct ActionLogPoint: Sendable, Hashable, Codable {
    /// The number of the entry in the log, from 1 on, without gaps; 0 is the place before the first entry.
    public let position: UInt64
    /// The entry at this position; nil at 0.
    public let identity: ActionLogEntry.Identity?

    /// The place before the first entry.
    public static let start = ActionLogPoint(position: 0, identity: nil)

    /// Creates a place.
    public init(position: UInt64, identity: ActionLogEntry.Identity?) {
        self.position = position
        self.identity = identity
    }
}
