import ActorStore
import TreeCollections

/// An asynchronous sequence of the changes in a part of all stores of a group. The first element has all values as
/// insertions; each later one has the insertions, removals and updates since the previous element, by key.
public struct StoreGroupChanges<ID: Hashable & Sendable, Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The changes since the previous element.
    public typealias Element = TreeDictionaryDifference<ID, Value>
    /// An observation never fails.
    public typealias Failure = Never

    private let values: StoreGroupValues<ID, Value>

    @usableFromInline
    init(values: StoreGroupValues<ID, Value>) {
        self.values = values
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator()) }

    /// An iterator over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private var values: StoreGroupValues<ID, Value>.Iterator
        private var last: TreeDictionary<ID, Value> = [:]

        init(values: StoreGroupValues<ID, Value>.Iterator) {
            self.values = values
        }

        /// Returns the next changes, or nil when the observation has ended or the task was cancelled.
        ///
        /// - Returns: The next changes, or nil after the end.
        /// - Complexity: In proportion to the number of keys that have changed.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            guard let version = await values.next(isolation: actor) else { return nil }
            defer { last = version }
            return version.difference(from: last)
        }
    }
}
