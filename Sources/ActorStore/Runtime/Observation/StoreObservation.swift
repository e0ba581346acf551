/// Keeps a closure observing a store; releasing it, or calling ``cancel()``, ends that. One that is bound to an owner
/// ends with the owner, and not when it is released.
///
/// It does not keep the store alive. It keeps what the closure has captured, and the last value that it was told, until
/// it is cancelled or released.
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
    /// The object is not retained. After its release the closure is not called any more; the closure itself is released
    /// with the next change of the observed value, or when a group of stores checks whether the store is idle.
    ///
    /// - Parameter owner: The object.
    /// - Returns: This token. It can be discarded, or kept to end the observation earlier with ``cancel()``.
    @discardableResult
    public func bound(to owner: some AnyObject & Sendable) -> StoreObservation {
        let target = lock.withLock {
            endsWhenReleased = false
            return self.target
        }
        target?.bind(to: owner)
        return self
    }

    /// Ends the observation: the store calls the closure no more. A call that has begun on another thread, or begins
    /// there at this moment, goes on to its end. Calling it again does nothing.
    public func cancel() {
        // Let go of after the lock, with what the closure has captured, which may lead to this observation again.
        let target = lock.withLock {
            defer { self.target = nil }
            return self.target
        }
        target?.cancelObservation()
    }

    /// The registry of the tree that is observed, while it is, and if this knows it.
    var registry: ObserverRegistry? { lock.withLock { target }?.registry }

    /// That tree.
    var root: TreeRoot? { (lock.withLock { target } as? any TreeObserver)?.root }
}

/// What is ended with an observation.
protocol ObservationTarget: AnyObject, Sendable {
    /// Ends it; called again, it does nothing.
    func cancelObservation()

    /// Has it end when an object is gone.
    func bind(to owner: some AnyObject & Sendable)

    /// The registry of the tree that is observed, if this knows it.
    var registry: ObserverRegistry? { get }
}

/// A target that knows the tree that it observes.
protocol TreeObserver: ObservationTarget {
    var root: TreeRoot? { get }
}

extension ObservationTarget {
    var registry: ObserverRegistry? { nil }

    /// Has the observation end when a group of stores looks whether the store is idle, and the object is gone.
    func bind(to owner: some AnyObject & Sendable) {
        if let registry { registry.add(ObservationBinding(of: self, to: owner)) }
    }
}

/// An object to which an observation is bound, and the way to end that when it is gone. It keeps neither.
@usableFromInline
final class ObservationBinding: Sendable {
    weak let owner: (any AnyObject & Sendable)?
    weak let observer: (any ObservationTarget)?

    init(of observer: any ObservationTarget, to owner: any AnyObject & Sendable) {
        self.observer = observer
        self.owner = owner
    }

    @usableFromInline var isOver: Bool { owner == nil }
}

/// Whether the observation of a task has been cancelled, or the object is gone to which it is bound.
package final class ObservationCancellation: Sendable {
    private let cancellation = CancellationNote()
    private let binding = LazyReference<ObservationBinding>()

    package var isNoted: Bool { cancellation.isNoted || binding.load()?.isOver == true }

    /// - Returns: Whether it had not been cancelled before.
    @discardableResult
    fileprivate func note() -> Bool { cancellation.note() }

    fileprivate func bind(_ task: ObservingTask, to owner: some AnyObject & Sendable) {
        _ = binding.storeIfNil(ObservationBinding(of: task, to: owner))
    }
}

/// A task that observes.
final class ObservingTask: ObservationTarget {
    private let task: Task<Void, Never>
    /// Where the task is cancelled: not where it runs, because what is observed may occupy all threads there.
    private let executor: (any TaskExecutor)?
    private let cancellation: ObservationCancellation
    /// What the loop of the task iterates. It goes with the loop, also if this is kept.
    private weak let subscription: (any ObservationTarget)?

    /// Starts the task. It is detached, because it is no part of the effect that may have begun it, and runs in
    /// nobody's isolation.
    ///
    /// - Parameters:
    ///   - subscription: What the loop iterates; nil if that is no observation of a store.
    ///   - storeExecutor: The executor of the store, where the task is cancelled.
    ///   - executor: Where the task runs.
    ///   - priority: Its priority.
    ///   - loop: Iterates, and looks before each call whether the observation has been cancelled.
    init(
        of subscription: (any ObservationTarget)?,
        cancelledOn storeExecutor: (any TaskExecutor)?,
        on executor: (any TaskExecutor)?,
        priority: TaskPriority? = nil,
        _ loop: sending @escaping (_ cancellation: ObservationCancellation) async -> Void
    ) {
        let cancellation = ObservationCancellation()
        self.cancellation = cancellation
        self.subscription = subscription
        self.executor = storeExecutor
        task = Task.detached(executorPreference: executor, priority: priority) {
            await loop(cancellation)
            // Nobody need cancel it any more.
            cancellation.note()
        }
    }

    func bind(to owner: some AnyObject & Sendable) {
        cancellation.bind(self, to: owner)
        subscription?.bind(to: owner)
    }

    func cancelObservation() {
        guard cancellation.note() else { return }
        // A call that is under way may take long, and must neither suspend the store any more nor be counted.
        subscription?.cancelObservation()
        // Its cancellation handlers are code of users, and this may be in the turn, or under a lock.
        task.cancelInBackground(on: executor)
    }
}

/// An iterator of an observation, which can be ended while an element is being dealt with.
protocol ObservationIterator: SendableMetatype {
    var observation: any ObservationTarget { get }
}

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
    package var count: Int { entries.count + keyed.count }

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
    /// An observer that is set up again under the same key is therefore not called twice for a change that comes later.
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
