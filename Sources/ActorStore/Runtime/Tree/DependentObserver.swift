/// One who observes through a child, or an element of a collection, what lies elsewhere: in the memory of another
/// store, or the actions of one.
///
/// It is one of those whom that store tells, at the cost of any of them; but its observation ends with the child, or
/// the element. ``Retainer`` is another kind.
protocol DependentObserver: AnyObject {
    /// In the turn.
    func end()
}

/// A source of state through which others observe what lies elsewhere: a store, or an element of a collection.
@usableFromInline
protocol DependentObserverHost: ObservableStorage {
    /// The tree that it is a part of.
    var root: TreeRoot { get }
    /// Those whose observations end with it. In the turn.
    var dependents: DependentObserverList { get set }
}

extension DependentObserverHost {
    /// Takes in one that ends with this. In the turn.
    func admit(_ dependent: any DependentObserver) {
        if isFinished { dependent.end() } else { dependents.insert(dependent) }
    }

    /// Forgets one that has gone. In the turn.
    func remove(_ dependent: any DependentObserver) { if !dependents.isEmpty { dependents.remove(dependent) } }

    /// Ends all of them. In the turn.
    func endDependents() {
        if dependents.isEmpty { return }
        for dependent in dependents.removeAll() { dependent.end() }
    }
}

/// The dependent observers of a source of state.
@usableFromInline
struct DependentObserverList {
    private var dependents = ArrivalTable<ObjectIdentifier, any DependentObserver>()

    var isEmpty: Bool { dependents.isEmpty }

    mutating func insert(_ dependent: any DependentObserver) { dependents[ObjectIdentifier(dependent)] = dependent }

    mutating func remove(_ dependent: any DependentObserver) { dependents[ObjectIdentifier(dependent)] = nil }

    /// Takes all out, in the order in which they came.
    mutating func removeAll() -> [any DependentObserver] {
        defer { dependents = ArrivalTable() }
        return dependents.inOrder
    }
}

/// A sequence's side of ``DependentObserver``.
final class DependentSequence<Element: Sendable>: DependentObserver, Sendable {
    private let group: Broadcast<Element>
    private let subscriber: Subscriber<Element>

    init(_ group: Broadcast<Element>, _ subscriber: Subscriber<Element>) {
        self.group = group
        self.subscriber = subscriber
    }

    func end() { group.finish(subscriber) }
}

/// The time for which something is a dependent observer.
final class DependentRegistration: Sendable {
    private let dependent: any DependentObserver & Sendable
    private weak let host: (any DependentObserverHost)?

    init(of dependent: any DependentObserver & Sendable, at host: any DependentObserverHost) {
        self.dependent = dependent
        self.host = host
    }

    /// In the turn.
    func begin() { host?.admit(dependent) }

    deinit {
        let dependent = dependent
        guard let host else { return }
        host.root.inTurn { host.dismiss(dependent) }
    }
}

extension ClosureObserver: DependentObserver {}

/// Keeps for a sequence what its iterators need, until that has ended through which they observe, so that whoever keeps
/// the sequence keeps no state of a store that has ended.
final class Retainer<Object: AnyObject & Sendable>: Sendable {
    private let dependent: RetainingObserver<Object>
    private let stay: DependentRegistration

    /// - Parameter source: With whose end the object is let go.
    init(_ object: Object, until source: any DependentObserverHost) {
        dependent = RetainingObserver(object, deferred: source.root.deferred)
        let stay = DependentRegistration(of: dependent, at: source)
        self.stay = stay
        source.root.inTurn { stay.begin() }
    }

    /// Nil if it has been let go.
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
        // It leads to closures of users.
        if let object { deferred.abandon(object) }
    }
}
