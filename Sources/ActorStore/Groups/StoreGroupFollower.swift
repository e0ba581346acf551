import Synchronization

/// One who observes all stores of a group.
///
/// It has a member in the entry of each store: the group makes one when the follower comes, and when a store comes.
class StoreGroupFollower<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: constants and an atomic.
    private let hasLeft = Atomic<Bool>(false)

    init() {}

    /// Makes the member of a store, which observes nothing yet.
    func makeMember(_ id: ID) -> StoreGroupMember { missing() }

    /// Has a member begin to observe.
    func begin(_ member: StoreGroupMember, _ store: Store<State, Action>) { missing() }

    /// Nothing comes any more.
    func finish() { missing() }

    /// Whether nothing must be begun for it any more.
    final var isGone: Bool { hasLeft.load(ordering: .sequentiallyConsistent) }

    final func leave() { hasLeft.store(true, ordering: .sequentiallyConsistent) }

    private func missing(_ function: StaticString = #function) -> Never {
        preconditionFailure("\(function) is missing in a follower of a group.")
    }
}

/// What observes one store on behalf of one who observes all stores of a group.
@usableFromInline
class StoreGroupMember: @unchecked Sendable {
    // Sound: a constant.

    /// The follower to which it belongs.
    let follower: ObjectIdentifier

    init(follower: ObjectIdentifier) {
        self.follower = follower
    }

    /// Ends its observation.
    func cancel() {}

    /// Ends its observation, and says that the store is gone.
    func leave() {}
}

/// Follows one part of all stores of a group.
final class StoreGroupFeed<ID: Hashable & Sendable, State: Sendable, Action: Sendable, Value: Equatable & Sendable>:
    StoreGroupFollower<ID, State, Action>, @unchecked Sendable
{
    // Sound: constants.
    let news = StoreGroupNews<ID, Value>()
    private let read: @Sendable (Store<State, Action>) -> Value
    private let observe: @Sendable (Store<State, Action>, @escaping @Sendable (Value) -> Void) -> Observation

    /// - Parameters:
    ///   - read: Takes the part out of a snapshot.
    ///   - observe: Observes the part.
    init(
        read: @escaping @Sendable (Store<State, Action>) -> Value,
        observe: @escaping @Sendable (Store<State, Action>, @escaping @Sendable (Value) -> Void) -> Observation
    ) {
        self.read = read
        self.observe = observe
        super.init()
    }

    override func makeMember(_ id: ID) -> StoreGroupMember {
        StoreGroupNewsMember(follower: ObjectIdentifier(self), id: id, news: news)
    }

    override func begin(_ member: StoreGroupMember, _ store: Store<State, Action>) {
        guard let member = member as? StoreGroupNewsMember<ID, Value> else { return }
        // At once, so that the first version has what was there when the observation began, even if the store is busy.
        news.report(read(store), of: member)
        // The entry of the store keeps the member. One that is kept by its own observer would never go.
        let observation = observe(store) { [weak member] value in
            if let member { member.news.report(value, of: member) }
        }
        member.attach(observation)
    }

    override func finish() { news.finish() }
}
