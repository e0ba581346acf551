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
    func begin(_ member: StoreGroupMember, _ store: Store<State, Action>) { missing() }

    /// Nothing comes any more.
    func finish() { missing() }

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

    override func begin(_ member: StoreGroupMember, _ store: Store<State, Action>) {
        guard let member = member as? StoreGroupNewsMember<ID, Value> else { return }
        // At once, so that the first version has what was there when the observation began, even if the store is busy. Not
        // in a reducer, which must not read, and not what stands in for a state that is being loaded.
        if !CurrentThread.isWriting, store.root.hasState {
            news.report(part.read(store), of: member)
        }
        member.begin(part.makeWatcher(member), in: store.root)
    }

    override func finish() { news.finish() }

    override func finishWithStores() { news.finishWithMembers() }
}

/// What is observed in all stores of a group. Its closures are made in inlinable code, where the types are known.
@usableFromInline
struct StoreGroupPart<ID: Hashable & Sendable, State: Sendable, Action: Sendable, Value: Equatable & Sendable>: Sendable
{
    let subject: ObservedSubject
    /// Takes the part out of a snapshot.
    let read: @Sendable (Store<State, Action>) -> Value
    let makeWatcher: @Sendable (StoreGroupNewsMember<ID, Value>) -> Watcher

    @usableFromInline
    init(
        subject: ObservedSubject,
        read: @escaping @Sendable (Store<State, Action>) -> Value,
        makeWatcher: @escaping @Sendable (StoreGroupNewsMember<ID, Value>) -> Watcher
    ) {
        self.subject = subject
        self.read = read
        self.makeWatcher = makeWatcher
    }

    @inlinable
    init(_ keyPath: KeyPath<State, Value> & Sendable) {
        self.init(subject: .part(keyPath)) { store in
            store.view[keyPath]
        } makeWatcher: { member in
            guard let part = StoredPart(keyPath) else {
                // Sound: a watcher is called with the address of the state that it was made for.
                return Watcher(group: member, filter: .passing) { state in
                    member.start(with: state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath])
                } check: { state in
                    let value = state.assumingMemoryBound(to: State.self).pointee[keyPath: keyPath]
                    if value != member.last.pointee { member.publish(value) }
                } finish: {
                    member.finish()
                }
            }
            return Watcher(group: member, filter: PartFilter(part, last: member.last)) { state in
                member.start(with: part.load(from: state))
            } check: { state in
                if part.load(from: state) != member.last.pointee { member.publish(part.load(from: state)) }
            } finish: {
                member.finish()
            }
        }
    }
}
