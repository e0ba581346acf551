/// Keeps observations, to end them together: when ``cancelAll()`` is called, or when the bag, with its copies, is gone.
///
/// ```swift
/// final class Display: Sendable {
///     private let observations: ObservationBag
///
///     init(_ store: Store<Shop.State, Shop.Action>) {
///         var bag = ObservationBag()
///         store.observe(\.count) { count in print(count) }.store(in: &bag)
///         store.observe(\.name) { name in print(name) }.store(in: &bag)
///         observations = bag
///     }
/// }
/// ```
///
/// It ends also those that are bound to an owner, and connections of consumers, which do not end when their tokens are
/// released.
public struct ObservationBag: Sendable {
    private var entries: [Entry] = []
    private var keyed: [ExactIdentity: Entry] = [:]

    /// Creates an empty bag.
    public init() {}

    /// How many observations were put in, whether they have ended meanwhile or not.
    public var count: Int { entries.count + keyed.count }

    /// Ends all observations in the bag, and empties it; also those in copies of it.
    public mutating func cancelAll() {
        for entry in entries { entry.cancel() }
        for entry in keyed.values { entry.cancel() }
        (entries, keyed) = ([], [:])
    }

    package mutating func insert(_ cancel: @escaping @Sendable () -> Void) {
        entries.append(Entry(cancel: cancel))
    }

    fileprivate mutating func insert(forKey key: some Hashable & Sendable, _ cancel: @escaping @Sendable () -> Void) {
        let former = keyed.updateValue(Entry(cancel: cancel), forKey: ExactIdentity(unwrapping: key))
        former?.cancel()
    }

    /// Shared by the copies of a bag.
    private final class Entry: Sendable {
        let cancel: @Sendable () -> Void

        init(cancel: @escaping @Sendable () -> Void) {
            self.cancel = cancel
        }

        deinit { cancel() }
    }
}

extension StoreObservation {
    /// Puts the observation into a bag, with which it ends.
    public func store(in bag: inout ObservationBag) {
        bag.insert { self.cancel() }
    }

    /// Adds the observation to a bag under a key, and cancels the observation that had the key.
    ///
    /// An observer that is set up again under the same key is therefore never called twice. No call of the previous
    /// closure starts after this method returns.
    ///
    /// ```swift
    /// store.observe(\.count) { count in display.show(count) }.store(in: &bag, forKey: "display")
    /// ```
    ///
    /// - Parameters:
    ///   - bag: The bag. Releasing it cancels the observation.
    ///   - key: The key. Keys of different types are different: `7` is not `7 as UInt32`.
    public func store(in bag: inout ObservationBag, forKey key: some Hashable & Sendable) {
        bag.insert(forKey: key) { self.cancel() }
    }
}
