import ActorStore
import Synchronization
import TreeCollections

/// An asynchronous sequence of the values of a part of all stores of a group, by key.
///
/// The observation begins when the sequence is created, not when the iteration begins. The first iterator takes it
/// over; each further one begins an observation of its own. An iterator belongs to one task. Two tasks that wait in the
/// same iterator are a programmer error, and trap.
public struct StoreGroupValues<ID: Hashable & Sendable, Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// A version: the values by key.
    public typealias Element = TreeDictionary<ID, Value>
    /// An observation never fails.
    public typealias Failure = Never

    private let first: FirstSubscription
    private let subscribe: @Sendable () -> StoreGroupSubscription<ID, Value>

    init(subscribe: @escaping @Sendable () -> StoreGroupSubscription<ID, Value>) {
        self.subscribe = subscribe
        first = FirstSubscription(subscribe())
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: first.take() ?? subscribe()) }

    /// An iterator over the versions.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: StoreGroupSubscription<ID, Value>

        /// Returns the next version, or nil when the observation has ended or the task was cancelled.
        ///
        /// - Returns: The next version, or nil after the end.
        /// - Complexity: In proportion to the number of keys that have changed.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await subscription.next()
        }
    }

    /// Holds the observation that began with the sequence until an iterator takes it.
    private final class FirstSubscription: @unchecked Sendable {
        // Sound: `subscription` is changed once, by the caller that finds `isTaken` false and sets it.
        // Pairs: the exchanges with each other.
        private let isTaken = AtomicValue<Bool>(false)
        private var subscription: StoreGroupSubscription<ID, Value>?

        init(_ subscription: StoreGroupSubscription<ID, Value>) {
            self.subscription = subscription
        }

        func take() -> StoreGroupSubscription<ID, Value>? {
            guard !isTaken.exchangeAcquiringAndReleasing(true) else { return nil }
            return subscription.take()
        }
    }
}

/// The observer's side of an observation of a group. It combines the changes into versions, in the observer's task.
final class StoreGroupSubscription<ID: Hashable & Sendable, Value: Equatable & Sendable>: @unchecked Sendable {
    // Sound: the variables are accessed only by the iterating task; `changes` checks that there is only one.
    private let changes: StoreGroupPendingChanges<ID, Value>
    /// nil when the observation has ended.
    private var end: (@Sendable () -> Void)?
    private var version: TreeDictionary<ID, Value> = [:]
    /// The number of the member that reported the value of a key. A recreated store has another member than the removed
    /// one, whose end may be reported later.
    private var tellers: [ID: UInt64] = [:]
    private var isFirst = true

    /// - Parameter end: Called when the observation has no observer left.
    init(_ changes: StoreGroupPendingChanges<ID, Value>, end: @escaping @Sendable () -> Void) {
        self.changes = changes
        self.end = end
    }

    deinit { finish() }

    /// Ends the observation, unless it has ended.
    private func finish() {
        guard let end = end.take() else { return }
        changes.cancel()
        end()
    }

    func next(isolation: isolated (any Actor)? = #isolation) async -> TreeDictionary<ID, Value>? {
        if end == nil { return nil }
        while !Task.isCancelled {
            guard let batch = changes.take() else {
                await changes.wait()
                continue
            }
            if apply(batch) || isFirst {
                isFirst = false
                return version
            }
            // Changes can arrive between the last batch and the end.
            if batch.isFinished && batch.isEmpty { return nil }
            await changes.wait()
        }
        finish()
        return nil
    }

    /// Returns whether the version has changed.
    private func apply(_ batch: StoreGroupPendingChanges<ID, Value>.Batch) -> Bool {
        var differs = false
        for (id, member) in batch.gone where tellers[id] == member { tellers[id] = nil }
        for member in batch.changed {
            guard let value = changes.latest(of: member) else { continue }
            // A value of the key's former store may arrive after one of its new store.
            if let teller = tellers[member.id], teller > member.number { continue }
            tellers[member.id] = member.number
            guard version[member.id] != value else { continue }
            version[member.id] = value
            differs = true
        }
        // Last, because the key may have a new store, whose value need not differ.
        for (id, _) in batch.gone where tellers[id] == nil && version[id] != nil {
            version[id] = nil
            differs = true
        }
        return differs
    }
}
