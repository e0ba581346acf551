/// An observer, attached through a child or a collection element, of a state or of actions that belong to another
/// store.
///
/// It is registered with that store like any observer, at the same cost, but ends when the child or the element does.
/// ``Retainer`` uses the same mechanism.
protocol DependentObserver: AnyObject {
    /// Ends the observation. Called within the turn.
    func end()
}

/// A storage through which a state or actions elsewhere are observed: a store, or an element of a collection.
@usableFromInline
protocol DependentObserverHost: ObservableStorage {
    /// The tree that it belongs to.
    var root: TreeRoot { get }
    /// The observers that end with it. Used within the turn.
    var dependents: DependentObserverList { get set }
}

extension DependentObserverHost {
    /// Adds a dependent observer, which ends at once if this storage has ended. Called within the turn.
    func admit(_ dependent: any DependentObserver) {
        if isFinished { dependent.end() } else { dependents.insert(dependent) }
    }

    /// Removes a dependent observer that is gone. Called within the turn.
    func remove(_ dependent: any DependentObserver) { if !dependents.isEmpty { dependents.remove(dependent) } }

    /// Ends all dependent observers. Called within the turn.
    ///
    /// - Complexity: O(*n*), where *n* is the number of dependent observers.
    func endDependents() {
        if dependents.isEmpty { return }
        for dependent in dependents.removeAll() { dependent.end() }
    }
}

/// The dependent observers of one storage.
@usableFromInline
struct DependentObserverList {
    private var dependents = ArrivalTable<ObjectIdentifier, any DependentObserver>()

    var isEmpty: Bool { dependents.isEmpty }

    mutating func insert(_ dependent: any DependentObserver) { dependents[ObjectIdentifier(dependent)] = dependent }

    mutating func remove(_ dependent: any DependentObserver) { dependents[ObjectIdentifier(dependent)] = nil }

    /// Removes all observers and returns them in the order in which they were added.
    mutating func removeAll() -> [any DependentObserver] {
        defer { dependents = ArrivalTable() }
        return dependents.inOrder
    }
}

/// A sequence as a ``DependentObserver``.
final class DependentSequence<Element: Sendable>: DependentObserver, Sendable {
    private let group: Broadcast<Element>
    private let subscriber: Subscriber<Element>

    init(_ group: Broadcast<Element>, _ subscriber: Subscriber<Element>) {
        self.group = group
        self.subscriber = subscriber
    }

    func end() { group.finish(subscriber) }
}

/// The registration of a dependent observer. Releasing it removes the observer.
final class DependentRegistration: Sendable {
    private let dependent: any DependentObserver & Sendable
    private let host: WeakHost

    init(of dependent: any DependentObserver & Sendable, at host: any DependentObserverHost) {
        self.dependent = dependent
        self.host = WeakHost(host: host)
    }

    /// Adds the observer. Called within the turn.
    func begin() { host.host?.admit(dependent) }

    deinit {
        let dependent = dependent
        guard let host = host.host else { return }
        host.root.inTurn { host.dismiss(dependent) }
    }

    private struct WeakHost: Sendable {
        weak var host: (any DependentObserverHost)?
    }
}

extension ClosureObserver: DependentObserver {}

/// Retains what the iterators of a sequence need until the storage that they observe through ends. A retained sequence
/// thus retains no state of a store that has ended.
final class Retainer<Object: AnyObject & Sendable>: Sendable {
    private let dependent: RetainingObserver<Object>
    private let stay: DependentRegistration

    /// Retains an object.
    ///
    /// - Parameter source: The storage whose end releases the object.
    init(_ object: Object, until source: any DependentObserverHost) {
        dependent = RetainingObserver(object, deferred: source.root.deferred)
        let stay = DependentRegistration(of: dependent, at: source)
        self.stay = stay
        source.root.inTurn { stay.begin() }
    }

    /// The object; `nil` once it has been released.
    var object: Object? { dependent.object }
}

private final class RetainingObserver<Object: AnyObject & Sendable>: DependentObserver, @unchecked Sendable {
    // Sound: `retained` is touched only under `lock`.
    private let lock = Lock()
    private var retained: Object?
    private let deferred: DeferredWorkList

    init(_ object: Object, deferred: DeferredWorkList) {
        retained = object
        self.deferred = deferred
    }

    var object: Object? { lock.withLock { retained } }

    func end() {
        let object = lock.withLock { retained.take() }
        // Abandoned, because it refers to user closures.
        if let object { deferred.abandon(object) }
    }
}
