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

    /// Creates an empty bag.
    public init() {}

    /// How many observations were put in, whether they have ended meanwhile or not.
    public var count: Int { entries.count }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { entries.isEmpty }

    /// Ends all observations in the bag, and empties it; also those in copies of it.
    public mutating func cancelAll() {
        for entry in entries { entry.cancel() }
        entries = []
    }

    package mutating func insert(_ cancel: @escaping @Sendable () -> Void) {
        entries.append(Entry(cancel: cancel))
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

extension Observation {
    /// Puts the observation into a bag, with which it ends.
    public func store(in bag: inout ObservationBag) {
        bag.insert { self.cancel() }
    }
}
