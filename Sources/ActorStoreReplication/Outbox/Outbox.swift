#if Replication
    /// The actions of this replica that are not known to have been reduced yet, and who waits for that: a plain value.
    ///
    /// Each has a number, and they are appended in that order. After a lost connection it is not known which of those
    /// on their way are in the stream; all of them are appended again, and whoever reads the stream passes over numbers
    /// that it has seen.
    struct Outbox<Action: Sendable, Waiter> {
        /// An action on its way.
        struct Item: Sendable {
            let number: UInt64
            let action: Action
            /// The token of the lease that it was sent under.
            let lease: UInt64?
            /// Whether somebody will wait for it.
            let isAwaited: Bool
        }

        let disconnection: DisconnectionPolicy
        /// How many actions may be pending.
        let limit: Int
        /// The number of the newest action that was accepted.
        private(set) var accepted: UInt64 = 0
        /// The number of the newest that was reduced here; those before it were, too.
        private(set) var reduced: UInt64 = 0
        /// Those that are not known to be in the stream, oldest first, from `start` on.
        private var items: [Item] = []
        private var start = 0
        /// The number of the newest that is on its way by the present connection.
        private var taken: UInt64 = 0
        /// Who waits for which number.
        private var waiters: [UInt64: [Waiting]] = [:]
        private var identities: UInt64 = 0
        /// Those that could not be encoded, and whose sender has not learned of it yet.
        private var unencodable: [UInt64: ReplicationError] = [:]
        /// Whether the writer has a connection.
        private(set) var isWriting = true
        /// Whether the reader has one.
        var isReading = true
        /// Whether the writer is at work, or about to be.
        private var isAwake = false
        /// Whether only effects may still send.
        var isClosing = false
        /// Why nothing is accepted any more.
        private(set) var end: ReplicationError?

        init(_ disconnection: DisconnectionPolicy, limit: Int) {
            self.disconnection = disconnection
            self.limit = max(limit, 1)
        }

        /// Whether what is appended can be, and comes back.
        var isConnected: Bool { isWriting && isReading }

        /// How many actions are not known to have been reduced.
        var pending: Int { Int(accepted - reduced) }

        /// How many actions are not known to be in the stream.
        var unacknowledged: Int { items.count - start }

        /// Why no further action is accepted for now.
        func refusal(for stream: String, ofEffect: Bool) -> ReplicationError? {
            if let end { return end }
            if isClosing && !ofEffect { return ReplicationError(stream, .closed) }
            if disconnection == .refuse && !isConnected { return ReplicationError(stream, .disconnected) }
            return pending >= limit ? ReplicationError(stream, .overloaded(limit: limit)) : nil
        }

        /// Takes an action.
        ///
        /// - Returns: its number, and whether the writer is to be woken.
        mutating func append(_ action: Action, lease: UInt64?, isAwaited: Bool) -> (number: UInt64, wakes: Bool) {
            accepted += 1
            items.append(Item(number: accepted, action: action, lease: lease, isAwaited: isAwaited))
            return (accepted, wake())
        }

        /// - Returns: whether the writer is asleep, and there is something to do for it.
        mutating func wake() -> Bool {
            guard !isAwake, isWriting, end == nil, taken < accepted else { return false }
            isAwake = true
            return true
        }

        /// The next actions to be appended, at most so many; none if there is nothing to do, and then the writer is
        /// asleep.
        mutating func take(atMost limit: Int) -> [Item] {
            // Numbers have no gaps, so that the first that has not been taken is as far from the first of all as its
            // number is.
            guard end == nil, let first = items[start...].first else {
                isAwake = false
                return []
            }
            let index = start + Int(max(taken + 1, first.number) - first.number)
            let batch = Array(items[min(index, items.count)...].prefix(limit))
            guard let last = batch.last else {
                isAwake = false
                return []
            }
            taken = last.number
            return batch
        }

        /// An action could not be encoded, and a note of that goes into the stream in its place.
        mutating func noteUnencodable(_ item: Item, _ error: ReplicationError) {
            if item.isAwaited { unencodable[item.number] = error }
        }

        /// Everything up to this number is in the stream.
        ///
        /// - Returns: what is not needed any more, to be released where users' code may run.
        mutating func acknowledge(through number: UInt64) -> [Item] {
            guard let first = items[start...].first, number >= first.number else { return [] }
            start = min(start + Int(number - first.number) + 1, items.count)
            taken = max(taken, number)
            guard start == items.count || start > 1_024 && start * 2 > items.count else { return [] }
            var kept = Array(items[start...])
            swap(&kept, &items)
            start = 0
            return kept
        }

        /// The connection is lost: what was on its way will be appended again.
        mutating func disconnect() {
            isWriting = false
            isAwake = false
            taken = items[start...].first.map { $0.number - 1 } ?? accepted
        }

        /// There is a connection again.
        ///
        /// - Returns: whether the writer is to be woken.
        mutating func connect() -> Bool {
            isWriting = true
            return wake()
        }

        /// Everything up to this number has come back by the stream and been reduced. It has to be acknowledged, too.
        ///
        /// - Parameter number: Not above ``accepted``.
        /// - Returns: those who waited for it, with why it was not reduced if it was not.
        mutating func reduce(through number: UInt64) -> [(waiter: Waiter, error: ReplicationError?)] {
            guard number > reduced else { return [] }
            var released: [(Waiter, ReplicationError?)] = []
            if !waiters.isEmpty {
                for number in reduced + 1...number {
                    guard let all = waiters.removeValue(forKey: number) else { continue }
                    let error = unencodable[number]
                    for waiting in all {
                        released.append((waiting.waiter, waiting.isSender ? error : nil))
                        if waiting.isSender { unencodable[number] = nil }
                    }
                }
            }
            reduced = number
            return released
        }

        /// Names one who is about to wait.
        mutating func makeIdentity() -> UInt64 {
            identities += 1
            return identities
        }

        /// What becomes of one who wants to wait for an action.
        enum Wait {
            case waits
            case over(ReplicationError?)
        }

        /// Waits until the action with this number has been reduced.
        ///
        /// - Parameters:
        ///   - identity: Made by ``makeIdentity()``.
        ///   - isSender: Whether it is the one who has sent it, and is to learn if it could not be encoded.
        mutating func wait(for number: UInt64, _ waiter: Waiter, _ identity: UInt64, isSender: Bool) -> Wait {
            if number <= reduced { return .over(isSender ? unencodable.removeValue(forKey: number) : nil) }
            if let end { return .over(end) }
            waiters[number, default: []].append(Waiting(identity: identity, waiter: waiter, isSender: isSender))
            return .waits
        }

        /// Takes back one who waits for an action.
        mutating func removeWaiter(for number: UInt64, _ identity: UInt64) -> Waiter? {
            guard let index = waiters[number]?.firstIndex(where: { $0.identity == identity }) else { return nil }
            return waiters[number]?.remove(at: index).waiter
        }

        private struct Waiting {
            let identity: UInt64
            let waiter: Waiter
            let isSender: Bool
        }

        /// Nothing is accepted any more.
        ///
        /// - Returns: those who wait, for nothing now.
        mutating func end(_ error: ReplicationError) -> [Waiter] {
            if end == nil { end = error }
            defer { waiters = [:] }
            return waiters.values.flatMap { $0.map(\.waiter) }
        }
    }
#endif
