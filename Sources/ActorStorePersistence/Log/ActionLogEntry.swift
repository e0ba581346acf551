public import Foundation

/// An entry of an ``ActionLog``, usually an action.
///
/// A log interprets only the ``identity``. Stores define the contents of the header and the payload.
public struct ActionLogEntry: Sendable, Equatable {
    /// The identity of the entry, unique among all entries that the log ever contains.
    public let identity: Identity
    /// A description of the entry, as text that the shell of an engine can show.
    public let header: String
    /// The bytes of the action; empty for entries without an action.
    public let payload: Data

    /// Creates an entry.
    public init(_ identity: Identity, header: String, payload: Data) {
        self.identity = identity
        self.header = header
        self.payload = payload
    }

    /// The number of bytes of the header and the payload.
    public var size: Int { header.utf8.count + payload.count }

    /// The origin of an entry, and its number at that origin.
    ///
    /// Stores recognize entries by their identity, not by their position: a server that has lost the end of a log
    /// assigns a position a second time.
    public struct Identity: Sendable, Hashable, Codable {
        /// The origin: one life of one store.
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

/// A position in a log, with the identity of its entry.
public struct ActionLogPoint: Sendable, Hashable, Codable {
    /// The position of the entry, from 1 on, without gaps; 0 is the position before the first entry.
    public let position: UInt64
    /// The identity of the entry at this position; nil at 0.
    public let identity: ActionLogEntry.Identity?

    /// The point before the first entry.
    public static let start = ActionLogPoint(position: 0, identity: nil)

    /// Creates a point.
    public init(position: UInt64, identity: ActionLogEntry.Identity?) {
        self.position = position
        self.identity = identity
    }
}
