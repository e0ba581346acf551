import ActorStore
import TreeCollections

/// What changes in a part of all stores of a group, as an asynchronous sequence: first all values, as inserted, and
/// then what was inserted, removed and updated since the element before, by key.
public struct StoreGroupChanges<ID: Hashable & Sendable, Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// What has changed.
    public typealias Element = TreeDictionaryDifference<ID, Value>
    /// An observation never fails.
    public typealias Failure = Never

    private let values: StoreGroupValues<ID, Value>

    @usableFromInline
    init(values: StoreGroupValues<ID, Value>) {
        self.values = values
    }

    /// Begins to iterate.
    public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator()) }

    /// Takes the changes one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var values: StoreGroupValues<ID, Value>.Iterator
        private var last: TreeDictionary<ID, Value> = [:]

        init(values: StoreGroupValues<ID, Value>.Iterator) {
            self.values = values
        }

        /// The next changes, or nil when the observation has ended or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            guard let version = await values.next(isolation: actor) else { return nil }
            defer { last = version }
            return version.difference(from: last)
        }
    }
}
