/// One who follows a part of a store, and gathers what several stores tell.
@usableFromInline
package protocol PartFollower<Value>: AnyObject, Sendable {
    associatedtype Value: Equatable & Sendable

    /// Notes a value. In the store's turn.
    ///
    /// - Returns: What is to be released after the turn, and who is to be woken then.
    func note(_ value: Value) -> (former: Value?, waiter: UnsafeContinuation<Void, Never>?)

    /// Notes that nothing more comes of the store.
    ///
    /// - Returns: Who is to be woken.
    func noteEnd() -> UnsafeContinuation<Void, Never>?

    /// Notes that the store has gone, with its value. From anywhere.
    func noteDeparture()
}

/// What follows a part of one store, whatever that is.
package protocol AnyFollowedPart: AnyObject, Sendable {
    /// Ends it after all that the store had accepted.
    func cancel()

    /// Ends it at once, also while an observer suspends the store, and if that is still being loaded.
    func cancelAtEnd()

    /// Ends it, because it will not begin.
    func discard()

    /// Ends it, because the store goes.
    func leave()
}

/// A part of a state, as it is followed.
///
/// Its closures are made in inlinable code, where the types are known, because they run after each turn.
@usableFromInline
package struct FollowablePart<State: Sendable, Follower: PartFollower>: Sendable {
    fileprivate let read: @Sendable (_ state: State) -> Follower.Value
    fileprivate let load: (@Sendable (_ state: UnsafeRawPointer) -> Follower.Value)?
    private let origin: FollowedPartOrigin<Follower>

    @usableFromInline
    init(
        subject: ObservedSubject,
        location: CodeLocation,
        read: @escaping @Sendable (_ state: State) -> Follower.Value,
        load: (@Sendable (_ state: UnsafeRawPointer) -> Follower.Value)?,
        makeDetector: @escaping @Sendable (FollowedPart<Follower>) -> ChangeDetector
    ) {
        self.read = read
        self.load = load
        origin = FollowedPartOrigin(subject: subject, location: location, makeDetector: makeDetector)
    }

    /// - Parameters:
    ///   - keyPath: The part.
    ///   - location: Where it is asked for, for diagnostics.
    @inlinable
    package init(_ keyPath: KeyPath<State, Follower.Value> & Sendable, at location: CodeLocation) {
        let part = StoredPart(keyPath)
        var load: (@Sendable (UnsafeRawPointer) -> Follower.Value)?
        if let part { load = { part.load(from: $0) } }
        self.init(
            subject: .part(keyPath),
            location: location,
            read: { $0[keyPath: keyPath] },
            load: load
        ) { followed in
            guard let part else {
                // Sound: a detector is called with the address of the state that it was made for.
                return ChangeDetector(group: followed, filter: .passing) { state in
                    followed.start(with: state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath])
                } check: { state in
                    let value = state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]
                    if value != followed.last.pointee { followed.publish(value) }
                } finish: {
                    followed.finish()
                }
            }
            return ChangeDetector(group: followed, filter: ByteFilter(part, last: followed.last)) { state in
                followed.start(with: part.load(from: state))
            } check: { state in
                if part.load(from: state) != followed.last.pointee { followed.publish(part.load(from: state)) }
            } finish: {
                followed.finish()
            }
        }
    }

    /// The value in a root, if that can be read at once: while no reducer writes.
    package func value<Action>(in store: StoreReference<State, Action>) -> Follower.Value? {
        guard case .root(let core) = store.backing, core.gate.beginReadingIfAtRest() else { return nil }
        if let load {
            let value = load(core.stateAddress)
            core.gate.endReading()
            return value
        }
        // A getter is code of users', which must not keep reducers waiting.
        let copy = core.state
        core.gate.endReading()
        return read(copy)
    }

    /// What follows the part for a follower, once it has begun.
    package func followed(by follower: Follower) -> FollowedPart<Follower> { FollowedPart(follower, origin) }
}

/// What is the same for each store of which a part is followed.
private final class FollowedPartOrigin<Follower: PartFollower>: Sendable {
    let subject: ObservedSubject
    let location: CodeLocation
    let makeDetector: @Sendable (FollowedPart<Follower>) -> ChangeDetector

    init(
        subject: ObservedSubject,
        location: CodeLocation,
        makeDetector: @escaping @Sendable (FollowedPart<Follower>) -> ChangeDetector
    ) {
        self.subject = subject
        self.location = location
        self.makeDetector = makeDetector
    }
}

/// What follows a part of one store: a group of observers of its own, without the rest, because there is one for each
/// store.
@usableFromInline
package final class FollowedPart<Follower: PartFollower>: AnyFollowedPart, @unchecked Sendable {
    @usableFromInline package typealias Value = Follower.Value

    // Sound: `last`, `isStarted`, `since`, `calls` and `tree` are touched only in the store's turn; `isCancelled` and
    // `root` under `lock`. Everything else is constant.
    @usableFromInline package let follower: Follower
    private let origin: FollowedPartOrigin<Follower>

    /// What it was told last, in memory of its own, so that the bytes of a state can be compared with it. Allocated in
    /// `init`, and freed in `deinit`.
    @usableFromInline let last = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    @exclusivity(unchecked) @usableFromInline var isStarted = false
    @exclusivity(unchecked) private var since: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline var calls = 0
    /// The store, since the observation has begun. It calls the closures that lead here, so that it exists then.
    @exclusivity(unchecked) @usableFromInline unowned var tree: TreeRoot?

    private let lock = Lock()
    @exclusivity(unchecked) private var isCancelled = false
    @exclusivity(unchecked) private weak var root: TreeRoot?

    fileprivate init(_ follower: Follower, _ origin: FollowedPartOrigin<Follower>) {
        self.follower = follower
        self.origin = origin
    }

    deinit {
        if isStarted { last.deinitialize(count: 1) }
        last.deallocate()
    }

    /// Has the store look out for changes from now on.
    package func begin(in store: StoreReference<some Sendable, some Sendable>) {
        let root = store.backing.root
        lock.withLock { self.root = root }
        root.inTurn { [self, root] in
            // It may have been cancelled before its turn came.
            guard !lock.withLock({ isCancelled }), root.hasState else { return end(in: root) }
            since = root.revision.loadRelaxed()
            tree = root
            root.watch(origin.makeDetector(self))
            if root.lifecycle.isEnded { root.finishObservations(in: root) }
        }
    }

    package func cancel() {
        guard let root = noteCancellation() else { return }
        root.inTurn { [self] in stop(in: root) }
    }

    package func cancelAtEnd() {
        guard let root = noteCancellation() else { return }
        if root.hasState {
            root.inNextTurn { [self] in stop(in: root) }
        } else {
            // There is no turn before the store is loaded. What begins then finds this cancelled.
            follower.noteEnd()?.resume()
        }
    }

    package func discard() { follower.noteEnd()?.resume() }

    package func leave() {
        cancel()
        follower.noteDeparture()
    }

    /// - Returns: the store, if the observation has begun or is about to begin there.
    private func noteCancellation() -> TreeRoot? {
        lock.withLock {
            isCancelled = true
            return root
        }
    }

    // MARK: In the store's turn

    /// Nothing more comes of the store.
    @usableFromInline
    func finish() {
        if let tree { end(in: tree) }
    }

    private func stop(in root: TreeRoot) {
        root.unwatch(self, in: root)
        end(in: root)
    }

    /// The observer is woken when the turn has been passed on.
    private func end(in root: TreeRoot) {
        if let waiter = follower.noteEnd() { root.deferred.add { $0.wakeUps.append(.task(waiter)) } }
    }

    // Inlinable, and called by closures that are made where the types are known: it costs each action that is observed.

    @inlinable
    func start(with value: Value) {
        last.initialize(to: value)
        isStarted = true
        tell(value)
    }

    @inlinable
    func publish(_ value: Value) {
        let former = last.move()
        last.initialize(to: value)
        tree?.retire(former)
        tell(value)
    }

    @inlinable
    func tell(_ value: Value) {
        calls += 1
        guard let tree else { return }
        let (former, waiter) = follower.note(value)
        if let waiter { tree.deferred.add { $0.wakeUps.append(.task(waiter)) } }
        if let former { tree.retire(former) }
    }
}

extension FollowedPart: ObservedGroup {
    @usableFromInline var subject: ObservedSubject { origin.subject }
    @usableFromInline var key: GroupKey? { nil }
    @usableFromInline var source: ObservableStorage? { nil }

    @usableFromInline
    func observers(_ sources: [CodeLocation]) -> [ObserverRecord] {
        [
            ObserverRecord(
                isClosure: false,
                subject: subject.description,
                source: origin.location,
                since: since,
                delivered: calls,
                pending: 0,
                dropped: 0
            )
        ]
    }
}

extension TurnGate {
    /// Begins to read if no reducer writes, and not in a reducer.
    fileprivate func beginReadingIfAtRest() -> Bool {
        !CurrentThread.isWriting && update { $0.isWriting ? nil : $0.withOneMoreReader }.isUpdated
    }
}
