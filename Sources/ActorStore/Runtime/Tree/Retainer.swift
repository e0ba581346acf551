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
