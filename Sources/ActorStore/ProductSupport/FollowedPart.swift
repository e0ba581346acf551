/// A follower of a part of several stores, which collects their values.
@usableFromInline
package protocol PartFollower<Value>: AnyObject, Sendable {
    associatedtype Value: Equatable & Sendable

    /// Records a value. Called within the store's turn.
    ///
    /// - Returns: The previous value, to be released after the turn, and the task to resume then.
    func note(_ value: Value) -> (former: Value?, waiter: UnsafeContinuation<Void, Never>?)

    /// Records that the store will deliver nothing more.
    ///
    /// - Returns: The task to resume.
    func noteEnd() -> UnsafeContinuation<Void, Never>?

    /// Records that the store, and its value, are gone. Can be called from any thread.
    func noteDeparture()
}

/// An observation of a part of one store, with its types erased.
package protocol AnyFollowedPart: AnyObject, Sendable {
    /// Ends the observation after everything that the store had accepted.
    func cancel()

    /// Ends the observation immediately, even while an observer suspends the store, and even if the store is still
    /// being loaded.
    func cancelAtEnd()

    /// Ends the observation, because it will not start.
    func discard()

    /// Ends the observation, because the store is removed.
    func leave()
}

/// A part of a state to follow.
///
/// Its closures are created in inlinable code, where the types are known, because they run after each turn.
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
    ///   - keyPath: The key path of the part.
    ///   - location: The location of the observer in the code, for diagnostics.
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
                // Sound: a detector is called with the address of the state for which it was created.
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

    /// Returns the value in a root, if it can be read immediately, while no reducer writes.
    package func value<Action>(in store: StoreReference<State, Action>) -> Follower.Value? {
        guard case .root(let core) = store.backing, core.gate.beginReadingIfAtRest() else { return nil }
        if let load {
            let value = load(core.stateAddress)
            core.gate.endReading()
            return value
        }
        // A getter is user code, which must not delay reducers.
        let copy = core.state
        core.gate.endReading()
        return read(copy)
    }

    /// Returns the observation of the part for a follower. It starts with `begin`.
    package func followed(by follower: Follower) -> FollowedPart<Follower> { FollowedPart(follower, origin) }
}

/// The properties that all observations of the part share.
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

/// An observation of a part of one store. It is a minimal group of observers, because there is one for each store.
@usableFromInline
package final class FollowedPart<Follower: PartFollower>: AnyFollowedPart, @unchecked Sendable {
    @usableFromInline package typealias Value = Follower.Value

    // Sound: `last`, `isStarted`, `since`, `calls` and `tree` are accessed only within the store's turn; `isCancelled`
    // and `root` under `lock`. Everything else is constant.
    @usableFromInline package let follower: Follower
    private let origin: FollowedPartOrigin<Follower>

    /// The last delivered value, in separate memory, so that the bytes of a state can be compared with it. Allocated in
    /// `init`, and freed in `deinit`.
    @usableFromInline let last = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    @exclusivity(unchecked) @usableFromInline var isStarted = false
    @exclusivity(unchecked) private var since: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline var calls = 0
    /// The store, set when the observation starts. The store calls the closures that use this reference, so it exists
    /// at that time.
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

    /// Starts the observation of a store.
    package func begin(in store: StoreReference<some Sendable, some Sendable>) {
        let root = store.backing.root
        lock.withLock { self.root = root }
        root.inTurn { [self, root] in
            // The observation may have been cancelled before its turn came.
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
            // There is no turn before the store is loaded. An observation that starts then finds this cancellation.
            follower.noteEnd()?.resume()
        }
    }

    package func discard() { follower.noteEnd()?.resume() }

    package func leave() {
        cancel()
        follower.noteDeparture()
    }

    /// - Returns: The store, if the observation has started or is about to start there.
    private func noteCancellation() -> TreeRoot? {
        lock.withLock {
            isCancelled = true
            return root
        }
    }

    // MARK: Within the store's turn

    /// Ends the observation, because the store delivers nothing more.
    @usableFromInline
    func finish() {
        if let tree { end(in: tree) }
    }

    private func stop(in root: TreeRoot) {
        root.unwatch(self, in: root)
        end(in: root)
    }

    /// Ends the observation. The observer is resumed after the turn.
    private func end(in root: TreeRoot) {
        if let waiter = follower.noteEnd() { root.deferred.add { $0.wakeUps.append(.task(waiter)) } }
    }

    // Inlinable, and called by closures that are created where the types are known: this runs for each observed action.

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
    /// Starts reading if no reducer writes, and the caller is not in a reducer.
    fileprivate func beginReadingIfAtRest() -> Bool {
        !CurrentThread.isWriting && update { $0.isWriting ? nil : $0.withOneMoreReader }.isUpdated
    }
}
