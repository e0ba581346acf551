import Synchronization

/// One who observes all stores of a group.
///
/// It has a member in the entry of each store: the group makes one when the follower comes, and when a store comes.
class StoreGroupFollower<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: a constant and an atomic.

    /// By this its members are found. Not by its address, which another one can get when it is gone.
    let number: UInt64
    // Pairs: `leave` stores it and then takes the members out of the tables, under their lock; the other side loads it
    // under the same lock and then adds a member. So either the member is found or nothing is added.
    private let hasLeft = AtomicValue<Bool>(false)

    init(number: UInt64) {
        self.number = number
    }

    /// Makes the member of a store, which observes nothing yet.
    func makeMember(_ id: ID) -> StoreGroupMember { missing() }

    /// Has a member begin to observe.
    func begin(_ member: StoreGroupMember, _ core: StoreCore<State, Action>) { missing() }

    /// Has a member for each store that it found when it came.
    func endLook() { missing() }

    /// Nothing comes any more once all that is followed has ended.
    func finishWithStores() { missing() }

    /// Whether nothing must be begun for it any more.
    final var isGone: Bool { hasLeft.loadSequentiallyConsistent() }

    final func leave() { hasLeft.storeSequentiallyConsistent(true) }

    private func missing(_ function: StaticString = #function) -> Never {
        preconditionFailure("\(function) is missing in a follower of a group.")
    }
}

/// What observes one store on behalf of one who observes all stores of a group.
@usableFromInline
class StoreGroupMember: @unchecked Sendable {
    // Sound: it stores nothing.

    /// Ends its observation.
    func cancel() { preconditionFailure("\(#function) is missing in a member of a group.") }

    /// Ends its observation because the group has ended, which waits neither for the loading of a store nor for an
    /// observer that suspends one.
    func cancelAtEnd() { preconditionFailure("\(#function) is missing in a member of a group.") }

    /// Takes note that it never begins to observe.
    func discard() { preconditionFailure("\(#function) is missing in a member of a group.") }

    /// Ends its observation, and says that the store is gone.
    func leave() { preconditionFailure("\(#function) is missing in a member of a group.") }
}

/// Follows one part of all stores of a group.
final class StoreGroupFeed<ID: Hashable & Sendable, State: Sendable, Action: Sendable, Value: Equatable & Sendable>:
    StoreGroupFollower<ID, State, Action>, @unchecked Sendable
{
    // Sound: constants.
    let news = StoreGroupNews<ID, Value>()
    private let part: StoreGroupPart<ID, State, Action, Value>
    private let source: SourceLocation

    init(_ part: StoreGroupPart<ID, State, Action, Value>, at source: SourceLocation, number: UInt64) {
        self.part = part
        self.source = source
        super.init(number: number)
    }

    override func makeMember(_ id: ID) -> StoreGroupMember {
        StoreGroupNewsMember(id: id, news: news, subject: part.subject, source: source)
    }

    override func begin(_ member: StoreGroupMember, _ core: StoreCore<State, Action>) {
        guard let member = member as? StoreGroupNewsMember<ID, Value> else { return }
        // Nothing here waits for a reducer, because the caller may hold a lock that it takes. What can be read is read
        // at once: the store may have much to do, or be suspended. Otherwise the first version waits until the member
        // has begun, except for one that is being loaded, because nobody knows how long that takes.
        if !core.hasState {
            news.leaveOut(member)
        } else if let value = part.read(core) {
            news.report(value, of: member)
        }
        member.begin(part.makeDetector(member), in: core)
    }

    override func endLook() { news.endLook() }

    override func finishWithStores() { news.finishWithMembers() }
}

/// What is observed in all stores of a group. Its closures are made in inlinable code, where the types are known.
@usableFromInline
struct StoreGroupPart<ID: Hashable & Sendable, State: Sendable, Action: Sendable, Value: Equatable & Sendable>: Sendable
{
    let subject: ObservedSubject
    /// Reads the part, unless an action is being reduced at the moment.
    let read: @Sendable (StoreCore<State, Action>) -> Value?
    let makeDetector: @Sendable (StoreGroupNewsMember<ID, Value>) -> ChangeDetector

    @usableFromInline
    init(
        subject: ObservedSubject,
        read: @escaping @Sendable (StoreCore<State, Action>) -> Value?,
        makeDetector: @escaping @Sendable (StoreGroupNewsMember<ID, Value>) -> ChangeDetector
    ) {
        self.subject = subject
        self.read = read
        self.makeDetector = makeDetector
    }

    @inlinable
    init(_ keyPath: KeyPath<State, Value> & Sendable) {
        self.init(subject: .part(keyPath)) { core in
            core.valueAtRest(of: keyPath)
        } makeDetector: { member in
            guard let part = StoredPart(keyPath) else {
                // Sound: a detector is called with the address of the state that it was made for.
                return ChangeDetector(group: member, filter: .passing) { state in
                    member.start(with: state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath])
                } check: { state in
                    let value = state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]
                    if value != member.last.pointee { member.publish(value) }
                } finish: {
                    member.finish()
                }
            }
            return ChangeDetector(group: member, filter: ByteFilter(part, last: member.last)) { state in
                member.start(with: part.load(from: state))
            } check: { state in
                if part.load(from: state) != member.last.pointee { member.publish(part.load(from: state)) }
            } finish: {
                member.finish()
            }
        }
    }
}

extension StoreCore {
    /// A part of the state between two turns, or nil if an action is being reduced at the moment, or by this thread.
    @inlinable
    func valueAtRest<Value>(of keyPath: KeyPath<State, Value> & Sendable) -> Value? {
        guard gate.beginReadingIfAtRest() else { return nil }
        if let part = StoredPart(keyPath) {
            let value = part.load(from: stateAddress)
            gate.endReading()
            return value
        }
        // A getter is code of users', which must not keep reducers waiting.
        let copy = state
        gate.endReading()
        return copy[keyPath: keyPath]
    }
}

extension TurnGate {
    /// Begins to read the state, unless it is being written, or this thread is in a reducer.
    @usableFromInline
    func beginReadingIfAtRest() -> Bool {
        !CurrentThread.isWriting && update { $0.isWriting ? nil : $0.withOneMoreReader }.isUpdated
    }
}
