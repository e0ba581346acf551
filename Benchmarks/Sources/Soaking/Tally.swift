/// The counts of some senders, each of which numbers its actions: by a store, or by the senders themselves for accepted
/// actions. The two must be equal.
public struct Tally: Sendable, Equatable {
    /// The counts of one sender.
    public struct Entry: Sendable, Equatable {
        /// The number of actions.
        public var count = 0
        /// The sum of their numbers, which detects a lost action together with a doubled one.
        public var sum = 0
        /// The number of the last one.
        public var newest = 0
    }

    /// By sender.
    public private(set) var entries: [Entry]
    /// The number of actions of all senders.
    public private(set) var count = 0
    /// Whether the numbers of each sender have only grown.
    public private(set) var isOrdered = true

    /// Nothing, for a number of senders.
    public init(senders: Int) { entries = Array(repeating: Entry(), count: senders) }

    /// Counts an action.
    public mutating func take(_ number: Int, of sender: Int) {
        if number <= entries[sender].newest { isOrdered = false }
        entries[sender].count += 1
        entries[sender].sum += number
        entries[sender].newest = number
        count += 1
    }

    /// Adds another tally, which may have been counted concurrently; the order is then not checked.
    public mutating func add(_ other: Tally) {
        for (sender, entry) in other.entries.enumerated() {
            entries[sender].count += entry.count
            entries[sender].sum += entry.sum
            entries[sender].newest = max(entries[sender].newest, entry.newest)
        }
        count += other.count
        isOrdered = isOrdered && other.isOrdered
    }

    /// The violation in a store's counts, or nil.
    ///
    /// - Parameters:
    ///   - acknowledged: The accepted actions, counted by the senders.
    ///   - mayLose: Whether accepted actions may have been displaced.
    public func flaw(against acknowledged: Tally, mayLose: Bool = false) -> String? {
        guard isOrdered else { return "The actions of a sender were reduced in another order than they were sent." }
        for (sender, (found, expected)) in zip(entries, acknowledged.entries).enumerated() {
            if found.count > expected.count || mayLose && found.sum > expected.sum {
                return "\(found.count - expected.count) actions of sender \(sender) were doubled."
            }
            if mayLose { continue }
            if found.count < expected.count {
                return "\(expected.count - found.count) actions of sender \(sender) were lost."
            }
            if found != expected { return "An action of sender \(sender) was lost, and another one doubled." }
        }
        return nil
    }
}
