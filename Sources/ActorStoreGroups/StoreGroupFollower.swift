import ActorStore
import Synchronization

/// An observer of all stores of a group.
///
/// It has a member in the entry of each store. The group creates one when the follower is added, and when a store is
/// created.
protocol StoreGroupFollower<ID, State, Action>: AnyObject, Sendable {
    associatedtype ID: Hashable & Sendable
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// Identifies its members. Not its address, which another follower can reuse after its release.
    var number: UInt64 { get }

    /// Creates the member of a store. The member does not observe yet.
    func makeMember(_ id: ID) -> any AnyFollowedPart

    /// Starts the observation of a member.
    func begin(_ member: any AnyFollowedPart, in store: StoreReference<State, Action>)

    /// Called when the follower has a member for each store that existed when it was added.
    func endLook()

    /// Ends the sequence once all followed stores have ended.
    func finishWithStores()

    /// Whether no more observations may start for it.
    var isGone: Bool { get }

    /// Prevents further observations for it.
    func leave()
}

/// Observes one part of all stores of a group.
final class StoreGroupFeed<ID: Hashable & Sendable, State: Sendable, Action: Sendable, Value: Equatable & Sendable>:
    StoreGroupFollower
{
    typealias Member = StoreGroupMemberChanges<ID, Value>

    let number: UInt64
    let changes = StoreGroupPendingChanges<ID, Value>()
    private let part: FollowablePart<State, Member>
    // Pairs: `leave` stores it and then removes the members from the tables, under their lock; the other side loads it
    // under the same lock and then adds a member. So either the member is found, or it is not added.
    private let hasLeft = AtomicValue<Bool>(false)

    init(_ part: FollowablePart<State, Member>, number: UInt64) {
        self.part = part
        self.number = number
    }

    func makeMember(_ id: ID) -> any AnyFollowedPart { part.followed(by: Member(id: id, changes: changes)) }

    func begin(_ member: any AnyFollowedPart, in store: StoreReference<State, Action>) {
        guard let member = member as? FollowedPart<Member> else { return }
        // Nothing here waits for a reducer, because the caller may hold a lock that the reducer takes. A value that can
        // be read is read immediately: the store may be busy or suspended. Otherwise the first version waits until the
        // member has begun, except for a store that is still loading, because that can take any length of time.
        if !store.hasState {
            changes.leaveOut(member.follower)
        } else if let value = part.value(in: store) {
            changes.report(value, of: member.follower)
        }
        member.begin(in: store)
    }

    func endLook() { changes.endLook() }

    func finishWithStores() { changes.finishWithMembers() }

    var isGone: Bool { hasLeft.loadSequentiallyConsistent() }

    func leave() { hasLeft.storeSequentiallyConsistent(true) }
}
