/// A token for a closure that observes a store. Releasing the token, or calling ``cancel()``, ends the observation.
///
/// If the observation is bound to an owner by ``bound(to:)``, it ends when the owner is deallocated, not when the token
/// is released.
///
/// The token does not retain the store. Until it is cancelled or released, it retains what the closure has captured,
/// and the last value that the closure received.
public final class StoreObservation: @unchecked Sendable {
    // Sound: the variables are read and written under `lock`.
    private let lock = Lock()
    private var target: (any ObservationTarget)?
    private var endsWhenReleased: Bool

    init(of target: any ObservationTarget, endsWhenReleased: Bool = true) {
        self.target = target
        self.endsWhenReleased = endsWhenReleased
    }

    deinit { if lock.withLock({ endsWhenReleased }) { cancel() } }

    /// Binds the observation to the lifetime of an object, instead of to the lifetime of this token.
    ///
    /// ```swift
    /// store.observe(\.level) { [weak gauge] level in gauge?.show(level) }.bound(to: gauge)
    /// ```
    ///
    /// The owner is not retained. Once it is deallocated, the closure is not called again; the closure itself is
    /// released with the next change of the observed value, or when a group of stores checks whether the store is idle.
    ///
    /// - Parameter owner: The object whose lifetime bounds the observation.
    /// - Returns: This token. You can discard it, or keep it to end the observation earlier with ``cancel()``.
    @discardableResult
    public func bound(to owner: some AnyObject & Sendable) -> StoreObservation {
        let target = lock.withLock {
            endsWhenReleased = false
            return self.target
        }
        target?.bind(to: owner)
        return self
    }

    /// Ends the observation, so that no further call of the closure starts.
    ///
    /// A call that has started on another thread, or starts there at the same time, runs to its end. Calling this
    /// method again does nothing.
    public func cancel() {
        // Released after the lock, because what the closure has captured may lead to this observation again.
        let target = lock.withLock {
            defer { self.target = nil }
            return self.target
        }
        target?.cancelObservation()
    }

    /// The registry of the observed tree, during the observation; nil if the target has no reference to it.
    var registry: ObserverRegistry? { lock.withLock { target }?.registry }

    /// The observed tree.
    var root: TreeRoot? { (lock.withLock { target } as? any TreeObserver)?.root }
}

/// What ends with an observation.
protocol ObservationTarget: AnyObject, Sendable {
    /// Ends the observation; further calls do nothing.
    func cancelObservation()

    /// Ends the observation once an object is deallocated.
    func bind(to owner: some AnyObject & Sendable)

    /// The registry of the observed tree, or nil if the target has no reference to it.
    var registry: ObserverRegistry? { get }
}

/// A target with a reference to the tree that it observes.
protocol TreeObserver: ObservationTarget {
    var root: TreeRoot? { get }
}

extension ObservationTarget {
    var registry: ObserverRegistry? { nil }

    /// Ends the observation when a group of stores checks whether the store is idle, and the object has been
    /// deallocated.
    func bind(to owner: some AnyObject & Sendable) {
        if let registry { registry.add(ObservationBinding(of: self, to: owner)) }
    }
}

/// Weak references to an observation and to the object that it is bound to.
@usableFromInline
final class ObservationBinding: Sendable {
    private let references: References

    init(of observer: any ObservationTarget, to owner: any AnyObject & Sendable) {
        references = References(owner: owner, observer: observer)
    }

    var owner: (any AnyObject & Sendable)? { references.owner }
    var observer: (any ObservationTarget)? { references.observer }

    @usableFromInline var isOver: Bool { owner == nil }

    private struct References: Sendable {
        weak var owner: (any AnyObject & Sendable)?
        weak var observer: (any ObservationTarget)?
    }
}

/// Whether a task's observation has been cancelled, or the object that it is bound to has been deallocated.
package final class ObservationCancellation: Sendable {
    private let cancellation = CancellationNote()
    private let binding = LazyReference<ObservationBinding>()

    package var isNoted: Bool { cancellation.isNoted || binding.load()?.isOver == true }

    /// - Returns: `true` if it was not cancelled before.
    @discardableResult
    fileprivate func note() -> Bool { cancellation.note() }

    fileprivate func bind(_ task: ObservingTask, to owner: some AnyObject & Sendable) {
        _ = binding.storeIfNil(ObservationBinding(of: task, to: owner))
    }
}

/// A task that observes.
final class ObservingTask: ObservationTarget {
    private let task: Task<Void, Never>
    /// The executor on which the task is cancelled: not its own, because the observing code may occupy all threads of
    /// that.
    private let executor: (any TaskExecutor)?
    private let cancellation: ObservationCancellation
    /// What the task's loop iterates. The loop owns it: it is released with the loop, even if this object is retained.
    private let subscription: WeakSubscription

    /// Starts the task. It is detached: it is not a part of the effect that may have started it, and has no isolation.
    ///
    /// - Parameters:
    ///   - subscription: What the loop iterates; nil if that is not an observation of a store.
    ///   - storeExecutor: The store's executor, on which the task is cancelled.
    ///   - executor: The executor on which the task runs.
    ///   - priority: The priority of the task.
    ///   - loop: Iterates, and checks before each call whether the observation has been cancelled.
    init(
        of subscription: (any ObservationTarget)?,
        cancelledOn storeExecutor: (any TaskExecutor)?,
        on executor: (any TaskExecutor)?,
        priority: TaskPriority? = nil,
        _ loop: sending @escaping (_ cancellation: ObservationCancellation) async -> Void
    ) {
        let cancellation = ObservationCancellation()
        self.cancellation = cancellation
        self.subscription = WeakSubscription(target: subscription)
        self.executor = storeExecutor
        task = Task.detached(executorPreference: executor, priority: priority) {
            await loop(cancellation)
            // The loop has ended: a later cancellation has nothing to do.
            cancellation.note()
        }
    }

    func bind(to owner: some AnyObject & Sendable) {
        cancellation.bind(self, to: owner)
        subscription.target?.bind(to: owner)
    }

    func cancelObservation() {
        guard cancellation.note() else { return }
        // A call in progress may take long. From now on it must not suspend the store or be counted.
        subscription.target?.cancelObservation()
        // Cancellation handlers are user code, and this may run within the turn or under a lock.
        task.cancelInBackground(on: executor)
    }

    private struct WeakSubscription: Sendable {
        weak var target: (any ObservationTarget)?
    }
}

/// An iterator of an observation that can be ended while an element is being processed.
protocol ObservationIterator: SendableMetatype {
    var observation: any ObservationTarget { get }
}

/// A collection of observations that end together: when you call ``cancelAll()``, or when the last copy of the bag is
/// released.
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
/// Cancelling or releasing a bag also ends observations that are bound to an owner, and connections of consumers,
/// although releasing their tokens does not end them.
public struct ObservationBag: Sendable {
    private var entries: [Entry] = []
    private var keyed: [ExactIdentity: Entry] = [:]

    /// Creates an empty bag.
    public init() {}

    /// The number of observations that were added, including those that have ended since.
    package var count: Int { entries.count + keyed.count }

    /// Ends all observations in the bag and in its copies, and empties this bag.
    ///
    /// - Complexity: O(*n*), where *n* is the number of observations that were added.
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

    /// An entry shared by all copies of a bag.
    private final class Entry: Sendable {
        let cancel: @Sendable () -> Void

        init(cancel: @escaping @Sendable () -> Void) {
            self.cancel = cancel
        }

        deinit { cancel() }
    }
}

extension StoreObservation {
    /// Adds the observation to a bag, which ends it when it is cancelled or released.
    ///
    /// - Parameter bag: The bag. Releasing it cancels the observation.
    public func store(in bag: inout ObservationBag) {
        bag.insert { self.cancel() }
    }

    /// Adds the observation to a bag under a key, and cancels the observation that had the key.
    ///
    /// If you set an observer up again under the same key, later changes are therefore delivered only once.
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
