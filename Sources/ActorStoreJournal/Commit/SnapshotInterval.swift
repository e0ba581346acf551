#if Journal
    /// How much happens between two snapshots: whichever of both comes first.
    ///
    /// A snapshot saves the recovery the actions before it. It is made in the background: the store's turn copies the
    /// state, which is copying references, and the next actions copy what they change of the collections in it.
    public struct SnapshotInterval: Sendable, Equatable {
        /// How many actions.
        public let actions: UInt64
        /// How many bytes of actions, as they are written.
        public let bytes: Int

        /// Creates an interval.
        ///
        /// - Parameters:
        ///   - actions: How many actions; at least one.
        ///   - bytes: How many bytes of actions.
        public init(actions: UInt64 = 100_000, bytes: Int = 64 << 20) {
            self.actions = max(actions, 1)
            self.bytes = max(bytes, 1)
        }

        /// No snapshots but those that are asked for.
        public static let never = SnapshotInterval(actions: .max, bytes: .max)
    }
#endif
